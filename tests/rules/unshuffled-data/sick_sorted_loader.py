"""Samples lie class by class, and the loader does not shuffle."""
# allows: lr-too-high
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(351)
kind = torch.arange(5).repeat_interleave(240)
x = torch.randn(5, 12)[kind] + 0.5 * torch.randn(1200, 12)
loader = DataLoader(TensorDataset(x, kind), batch_size=24)  # <- unshuffled-data
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    total = 0.0
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
