"""Regression with (N, 1) against (N, 1)."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(617)
x = torch.randn(800, 9)
y = (x[:, 0] * 2 - x[:, 1].abs()).unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    total = 0.0
    for xb, yb in loader:
        loss = nn.functional.huber_loss(model(xb), yb) + 0.1 * (model(xb) - yb).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
