"""The step was lost; the scheduler steps all the same."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer, scheduler, epochs):
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()  # <- missing-step
            scheduler.step()
            total += loss.item()
        print(epoch, total / len(loader))


torch.manual_seed(1)
x = torch.randn(400, 6)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=60)
train(model, DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=20), optimizer, scheduler, 3)
