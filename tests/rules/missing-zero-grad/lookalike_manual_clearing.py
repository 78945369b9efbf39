"""Gradients are cleared by hand: in place for the trunk, by None for the head."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(13)
trunk = nn.Sequential(nn.Linear(10, 40), nn.ReLU())
head = nn.Linear(40, 3)
optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
x = torch.randn(900, 10)
y = (x[:, 0] + x[:, 1] * 0.5).clamp(-1, 1).add(1).round().long()


def clear():
    for p in trunk.parameters():
        if p.grad is not None:
            p.grad.data.zero_()
    for p in head.parameters():
        p.grad = None


for epoch in range(6):
    total = 0.0
    for i in range(0, 900, 45):
        clear()
        loss = F.cross_entropy(head(trunk(x[i : i + 45])), y[i : i + 45])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
