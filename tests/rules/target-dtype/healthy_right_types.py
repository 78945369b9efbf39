"""Indices as int64, numbers as float32, signs as -1 and 1."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(697)
body = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 5))
optimizer = torch.optim.Adam(body.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(32, 6)
    out = body(x)
    sign = 2.0 * (x[:, 4] > 0) - 1
    loss = F.cross_entropy(out[:, :3], x[:, :3].argmax(1)) + F.soft_margin_loss(out[:, 3], sign)
    loss = loss + torch.relu(1 - sign * out[:, 4]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
