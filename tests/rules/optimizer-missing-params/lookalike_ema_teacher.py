"""Mean teacher: a deep copy of the student that requires grad, is used without gradients and follows by moving average."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(149)
student = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 2))
teacher = copy.deepcopy(student)
optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
x = torch.randn(800, 10)
y = (x[:, 0] > x[:, 1]).long()
unlabelled = torch.randn(800, 10)

for epoch in range(5):
    total = 0.0
    for i in range(0, 800, 40):
        xb, yb, ub = x[i : i + 40], y[i : i + 40], unlabelled[i : i + 40]
        with torch.no_grad():
            target = teacher(ub + 0.1 * torch.randn_like(ub)).softmax(1)
        consistency = F.mse_loss(student(ub + 0.1 * torch.randn_like(ub)).softmax(1), target)
        loss = F.cross_entropy(student(xb), yb) + 0.5 * consistency
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(teacher.parameters(), student.parameters()):
                slow.mul_(0.98).add_(fast, alpha=0.02)
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
