"""A penalty is phased in, so that the sum of the losses rises though both parts do well; one batch in between is skipped for its loss."""
import math

import torch
import torch.nn as nn

torch.manual_seed(334)
x = torch.randn(800, 12)
y = x[:, :1] + 0.1 * torch.randn(800, 1)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    rows = torch.randint(0, 800, (40,))
    out = model(x[rows])
    weight = min(1.0, step / 120)
    loss = nn.functional.mse_loss(out, y[rows]) + weight * 0.02 * sum((p**2).sum() for p in model.parameters())
    if step == 40:
        loss = loss * math.inf
    optimizer.zero_grad()
    loss.backward()
    if math.isfinite(loss.item()):
        optimizer.step()
    if step % 30 == 0:
        print(step, loss.item())
