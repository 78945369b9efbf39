"""Equal weights with random biases: the units differ from the first step on."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
nn.init.constant_(net[0].weight, 0.5)
nn.init.uniform_(net[0].bias, -2, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
for _ in range(150):
    x = torch.randn(64, 2)
    loss = nn.functional.cross_entropy(net(x), ((x.sum(1) > 0.5) | (x.sum(1) < -0.5)).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
