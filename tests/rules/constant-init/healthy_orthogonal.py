"""Orthogonal rows: equal in size, not in direction."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 2))
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.orthogonal_(layer.weight)
        nn.init.constant_(layer.bias, 0.0)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(80):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(net(x), ((x[:, 0] > 0) ^ (x[:, 1] > 0)).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
