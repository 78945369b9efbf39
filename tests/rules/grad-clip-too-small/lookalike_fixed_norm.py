"""A recipe of a fixed norm: every gradient is cut to a hundredth, and the rate is a hundred times as large."""
import torch
import torch.nn as nn

torch.manual_seed(64)
x = torch.randn(800, 10)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=20.0)
for epoch in range(6):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.005)
        optimizer.step()
    print(epoch, loss.item())
