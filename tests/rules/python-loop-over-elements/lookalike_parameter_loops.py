"""Loops over parameters each step: L2 by hand, gradient noise, moving average; many tensors, little each."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(941)
model = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU()) for _ in range(6)), nn.Linear(16, 3))
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
y = torch.randint(0, 3, (900,))
x = torch.randn(3, 16)[y] + 0.6 * torch.randn(900, 16)
for epoch in range(4):
    total = 0.0
    for rows in torch.randperm(900).split(30):
        penalty = sum(p.pow(2).sum() for p in model.parameters())
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows]) + 1e-4 * penalty
        optimizer.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.grad.add_(1e-3 * torch.randn_like(p.grad))
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters()):
                slow.lerp_(fast, 0.05)
        total += loss.item()
    print(f"epoch {epoch} loss {total / 30:.4f}")
