"""Distillation: the target is a softmax, with cross-entropy on soft targets and a KL term; the input is logits."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(547)
TEMPERATURE = 2.0
centers = torch.randn(5, 14)
teacher = nn.Linear(14, 5)
with torch.no_grad():
    teacher.weight.copy_(centers)
    teacher.bias.copy_(-centers.pow(2).sum(1) / 2)
student = nn.Sequential(nn.Linear(14, 24), nn.ReLU(), nn.Linear(24, 5))
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(120):
    y = torch.randint(0, 5, (48,))
    x = centers[y] + 0.7 * torch.randn(48, 14)
    with torch.no_grad():
        soft = (teacher(x) / TEMPERATURE).softmax(1)
    logits = student(x)
    soft_ce = F.cross_entropy(logits / TEMPERATURE, soft)
    kl = F.kl_div(F.log_softmax(logits / TEMPERATURE, 1), soft, reduction="batchmean")
    loss = 0.5 * F.cross_entropy(logits, y) + 0.25 * soft_ce + 0.25 * kl * TEMPERATURE**2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
