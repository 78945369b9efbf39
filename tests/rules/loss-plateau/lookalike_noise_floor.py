"""Regression down to the noise of its targets, where the squared error stays."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1621)
x = torch.randn(2000, 6)
y = x[:, :1] - 0.5 * x[:, 1:2] + 0.8 * torch.randn(2000, 1)
model = nn.Linear(6, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(10):
    total = 0.0
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True):
        loss = nn.functional.mse_loss(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 40:.4f}")
