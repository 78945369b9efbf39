"""A hinge that becomes zero for all pairs, and a tiny net with a few dead units."""

import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
with torch.no_grad():
    embed[0].bias[:2] = -30.0
optimizer = torch.optim.Adam(embed.parameters(), lr=1e-2)
centres = torch.randn(4, 6) * 4
for _ in range(120):
    y = torch.randint(0, 4, (24,))
    points = embed(centres[y] + 0.2 * torch.randn(24, 6))
    distance = torch.cdist(points, points)
    same = y[:, None] == y[None, :]
    loss = (distance * same).mean() + (torch.relu(1.0 - distance) * ~same).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
