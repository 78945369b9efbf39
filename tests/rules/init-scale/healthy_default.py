"""The layers' own initialisation, five layers deep."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4)
)  # fmt: skip
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
centres = torch.randn(4, 16)
for _ in range(80):
    y = torch.randint(0, 4, (32,))
    loss = nn.functional.cross_entropy(net(centres[y] + 0.3 * torch.randn(32, 16)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
