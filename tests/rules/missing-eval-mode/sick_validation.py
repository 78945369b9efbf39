"""Validation under no_grad, in training mode."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(121)
x = torch.randn(1200, 8)
y = (x[:, :2].sum(1) > 0).long()
train, valid = DataLoader(TensorDataset(x[:1000], y[:1000]), 20, shuffle=True), DataLoader(TensorDataset(x[1000:], y[1000:]), 50)
model = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(4):
    for a, b in train:
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        total = sum(nn.functional.cross_entropy(model(a), b).item() for a, b in valid)  # <- missing-eval-mode
    print(epoch, loss.item(), total / len(valid))
