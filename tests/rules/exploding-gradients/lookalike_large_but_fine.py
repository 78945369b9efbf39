"""Targets in the thousands make every gradient large from the start; the training learns them."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-2)
for _ in range(200):
    x = torch.randn(64, 5)
    target = 3000.0 * x[:, 0] + 1500.0 * x[:, 1].abs()
    loss = nn.functional.mse_loss(net(x).squeeze(1) * 1000, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
