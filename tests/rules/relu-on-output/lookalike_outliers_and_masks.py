"""A few targets beyond the end of the range, marks for missing targets that are masked out, and an activation before a last scale."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(646)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2), nn.Sigmoid())
steer = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
optimizer = torch.optim.Adam([*model.parameters(), *steer.parameters()], lr=1e-2)
for step in range(80):
    x = torch.randn(64, 6)
    y = torch.sigmoid(x[:, :2]) + 0.01 * torch.randn(64, 2)
    y[0, 0] = 1.4
    known = torch.rand(64, 2) > 0.3
    marked = torch.where(known, y, torch.full_like(y, -1.0))
    each = F.mse_loss(model(x), marked, reduction="none")
    loss = (each * known).sum() / known.sum() + F.mse_loss(model(x), y)
    loss = loss + ((30 * steer(x).squeeze(1) - 20 * torch.tanh(x[:, 3])) ** 2).mean() / 900
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
