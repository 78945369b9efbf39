"""Cosine to zero, one cycle, step decay by epoch, warm restarts."""
import torch
import torch.nn as nn
from torch.optim import lr_scheduler

torch.manual_seed(93)
STEPS = 100
for make in (
    lambda o: lr_scheduler.CosineAnnealingLR(o, STEPS),
    lambda o: lr_scheduler.OneCycleLR(o, 1e-2, total_steps=STEPS),
    lambda o: lr_scheduler.MultiStepLR(o, [40, 80], 0.1),
    lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 25),
):
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = make(optimizer)
    for _ in range(STEPS):
        x = torch.randn(32, 10)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(loss.item())
