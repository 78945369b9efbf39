"""The same schedule, shown the accuracy that it waits for."""

import torch
from torch import nn

torch.manual_seed(1)
x = torch.randn(1500, 12)
y = (x @ torch.randn(12, 4)).argmax(1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.1, patience=1)
for epoch in range(10):
    for rows in torch.randperm(1200).split(60):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        accuracy = (model(x[1200:]).argmax(1) == y[1200:]).float().mean()
    plateau.step(accuracy)
    print(epoch, accuracy.item(), optimizer.param_groups[0]["lr"])
