"""A small rate on purpose: the loss falls slowly but surely."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
x = torch.randn(800, 20)
y = (x[:, :5].sum(1) > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-5)
for epoch in range(6):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(a), b)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
