"""Adam over float16 weights: its epsilon is zero there."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # <- fp16-underflow
    for epoch in range(epochs):
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(a).float(), b)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(1)
x = torch.randn(400, 20)
net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2)).half()
train(net, DataLoader(TensorDataset(x.half(), (x[:, 1] > 0).long()), batch_size=25, shuffle=True), 3)
