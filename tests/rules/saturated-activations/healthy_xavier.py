"""Tanh with Xavier weights."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("tanh"))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(100):
    x = torch.randn(48, 8)
    loss = nn.functional.cross_entropy(net(x), ((x[:, 0] > 0) ^ (x[:, 1] > 0)).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
