"""Batches of six and a small momentum on values that are near mean 0 and variance 1 anyway."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(600, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.BatchNorm1d(10, momentum=0.01), nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for rows in torch.randperm(600).split(6):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
