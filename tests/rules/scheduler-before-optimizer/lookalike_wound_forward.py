"""The schedule is wound forward to the epoch where an earlier run stopped."""
import torch
import torch.nn as nn

torch.manual_seed(45)
x = torch.randn(400, 5)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
start = 1
for _ in range(start):
    scheduler.step()
for epoch in range(start, 7):
    for rows in torch.randperm(400).split(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item(), scheduler.get_last_lr())
