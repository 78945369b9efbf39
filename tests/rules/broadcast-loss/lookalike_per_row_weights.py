"""Harmless broadcasts: per-sample weights (N, 1) on (N, D) errors, one constant target, a scalar temperature."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(643)
x = torch.randn(600, 10)
y = torch.stack([x[:, 0] + x[:, 1], x[:, 2], x[:, 3].abs()], 1)
weight = torch.rand(600, 1) + 0.5
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 3))
log_scale = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*model.parameters(), log_scale], lr=5e-3)
for step in range(150):
    rows = torch.randint(0, 600, (30,))
    out = model(x[rows])
    error = (out - y[rows]) / log_scale.exp()
    loss = (weight[rows] * error.pow(2)).mean() + log_scale.sum() + 1e-3 * F.mse_loss(out.mean(0), torch.zeros(3))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
