"""A third of the labels are wrong and the others hang on the sign of a product: hard, but there is something to learn."""

import torch
import torch.nn as nn

torch.manual_seed(45)
x = torch.rand(2400, 2) * 2 - 1
y = (x[:, 0] * x[:, 1] > 0).long()
y = torch.where(torch.rand(2400) < 0.3, 1 - y, y)
net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(12):
    for at in torch.randperm(2400).split(60):
        loss = nn.functional.cross_entropy(net(x[at]), y[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
