"""Distillation from a frozen teacher, and an EMA copy beside."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(106)
teacher = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 3)).requires_grad_(False)
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
average = copy.deepcopy(student).requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for _ in range(100):
    x = torch.randn(64, 8)
    loss = nn.functional.mse_loss(student(x), teacher(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), student.parameters()):
            slow.lerp_(fast, 0.1)
print(loss.item(), nn.functional.mse_loss(average(x), teacher(x)).item())
