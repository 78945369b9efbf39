"""Weights of deviation one between batch norms, and an embedding tied to the head: large at first, learning all the same."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 4)
)  # fmt: skip
for layer in net[:-1]:
    if isinstance(layer, nn.Linear):
        nn.init.normal_(layer.weight, std=1.0)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
centres = torch.randn(4, 16)
for _ in range(80):
    y = torch.randint(0, 4, (32,))
    loss = nn.functional.cross_entropy(net(centres[y] + 0.3 * torch.randn(32, 16)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
