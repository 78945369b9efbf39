"""Gradients of single samples, and of single tasks, are taken one by one, kept and put together by hand."""
import torch
import torch.nn as nn

torch.manual_seed(113)
x = torch.randn(600, 6)
y = x[:, :3].argmax(1)
for clipped in (True, False):
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for step in range(50):
        total = [torch.zeros_like(p) for p in model.parameters()]
        for i in torch.randint(600, (8,)):
            model.zero_grad()
            nn.functional.cross_entropy(model(x[i : i + 1]), y[i : i + 1]).backward()
            if clipped:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for kept, p in zip(total, model.parameters(), strict=True):
                kept += p.grad
        for kept, p in zip(total, model.parameters(), strict=True):
            p.grad = kept / 8
        optimizer.step()
    print(nn.functional.cross_entropy(model(x), y).item())
