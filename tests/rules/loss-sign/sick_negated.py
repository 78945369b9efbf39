"""A cross-entropy with a minus, in a function."""
# allows: loss-diverges
import torch
import torch.nn.functional as F
from torch import nn


def objective(scores, y):
    return -F.cross_entropy(scores, y)  # <- loss-sign


torch.manual_seed(651)
centers = torch.randn(3, 6)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    y = torch.randint(0, 3, (32,))
    x = centers[y] + torch.randn(32, 6)
    scores = model(x)
    loss = objective(scores, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item(), (scores.argmax(1) == y).float().mean().item())
