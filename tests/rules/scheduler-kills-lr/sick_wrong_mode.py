"""A schedule that waits for an accuracy is shown a loss: each improvement is a bad epoch to it."""

import torch
from torch import nn

torch.manual_seed(1)
x = torch.randn(1200, 12)
y = (x @ torch.randn(12, 4)).argmax(1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.1, patience=0)  # <- scheduler-kills-lr
for epoch in range(10):
    total = 0.0
    for rows in torch.randperm(1200).split(60):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    plateau.step(total)  # <- scheduler-kills-lr
    print(epoch, total / 20)
