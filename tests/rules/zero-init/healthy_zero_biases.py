"""Biases of zero and random weights."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 3))
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
centres = torch.randn(3, 6) * 2
for _ in range(80):
    y = torch.randint(0, 3, (32,))
    loss = nn.functional.cross_entropy(net(centres[y] + 0.3 * torch.randn(32, 6)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
