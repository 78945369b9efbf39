"""Quantile regression: (N, K) predictions against (N, 1) targets broadcast along the quantiles on purpose."""
import torch
import torch.nn as nn

torch.manual_seed(641)
taus = torch.tensor([0.1, 0.25, 0.5, 0.75, 0.9])
x = torch.rand(800, 1) * 4
y = torch.sin(x) + (0.1 + 0.2 * x) * torch.randn(800, 1)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(150):
    rows = torch.randint(0, 800, (40,))
    error = y[rows] - model(x[rows])
    loss = torch.maximum(taus * error, (taus - 1) * error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} pinball {loss.item():.4f}")
