"""Forty noisy samples, a wide network, hundreds of epochs."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(240, 20)
y = ((x[:, 0] + 0.8 * torch.randn(240)) > 0).long()
train = DataLoader(TensorDataset(x[:40], y[:40]), batch_size=20, shuffle=True)
valid = DataLoader(TensorDataset(x[40:], y[40:]), batch_size=100)
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()


def evaluate():
    model.eval()
    total = 0.0
    with torch.no_grad():
        for xb, yb in valid:
            total += criterion(model(xb), yb).item() * len(xb)  # <- overfitting
    return total / 200


for epoch in range(60):
    model.train()
    for xb, yb in train:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        print(epoch, loss.item(), evaluate())
