"""Noisy labels a little beyond 0 and 1, and -1 for unknown labels that are masked out or weighted with 0."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(704)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(32, 8)
    y = (x[:, :3] > 0).float()
    noisy = y + 0.3 * torch.rand(32, 3) - 0.15
    known = torch.rand(32, 3) > 0.4
    marked = torch.where(known, y, torch.full_like(y, -1.0))
    out = model(x)
    each = F.binary_cross_entropy_with_logits(out, marked, reduction="none")
    weighted = F.binary_cross_entropy_with_logits(out, marked, weight=known.float())
    loss = (each * known).sum() / known.sum() + weighted + F.binary_cross_entropy_with_logits(out, noisy)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
