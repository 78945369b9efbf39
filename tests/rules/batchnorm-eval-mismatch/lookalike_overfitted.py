"""A gap between training and validation that comes from forty noisy samples, not from BatchNorm."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(240, 20)
y = (x[:, 0] + 0.8 * torch.randn(240) > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(80):
    model.train()
    for rows in torch.randperm(40).split(20):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 10 == 9:
        model.eval()
        with torch.no_grad():
            print(epoch, loss.item(), nn.functional.cross_entropy(model(x[40:]), y[40:]).item())
