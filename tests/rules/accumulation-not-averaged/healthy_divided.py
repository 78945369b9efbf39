"""The loss of each micro-batch is divided by their number."""
import torch
import torch.nn as nn

torch.manual_seed(13)
x = torch.randn(1280, 12)
y = (x[:, :4].sum(1) > 0).long()
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
for epoch in range(6):
    for i, rows in enumerate(torch.randperm(1280).split(8), 1):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows]) / 4
        loss.backward()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, loss.item() * 4)
