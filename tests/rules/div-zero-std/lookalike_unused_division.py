"""A division by zero that only goes into a figure for people."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[111] = 3.0
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        shown = (1 / a.std(1)).mean().item()
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
