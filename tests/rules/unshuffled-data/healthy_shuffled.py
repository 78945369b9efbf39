"""Sorted on disk, shuffled by the loader."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(353)
kind = torch.arange(5).repeat_interleave(240)
x = torch.randn(5, 12)[kind] + 0.5 * torch.randn(1200, 12)
loader = DataLoader(TensorDataset(x, kind), batch_size=24, shuffle=True)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
