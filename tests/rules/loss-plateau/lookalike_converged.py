"""Learned within fifty steps, then flat for hundreds: done, not stuck."""
import torch
import torch.nn as nn

torch.manual_seed(1619)
y = torch.randint(0, 2, (1000,))
x = torch.randn(2, 10)[y] * 2 + 0.5 * torch.randn(1000, 10)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(500):
    rows = torch.randint(0, 1000, (64,))
    loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.5f}")
