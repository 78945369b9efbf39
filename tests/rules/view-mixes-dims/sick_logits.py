"""Logits of a convolution over time, (batch, classes, time), are viewed as one row of classes a position."""
# allows: loss-plateau

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(4, 16, 3, padding=1), nn.ReLU(), nn.Conv1d(16, 5, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()


def step(x, y):
    optimizer.zero_grad()
    logits = net(x)
    loss = criterion(
        logits.contiguous().view(-1, 5),  # <- view-mixes-dims
        y.view(-1),
    )
    loss.backward()
    optimizer.step()
    return loss.item()


for _ in range(100):
    y = torch.randint(0, 5, (16, 20))
    loss = step(nn.functional.one_hot(y, 5).float()[..., :4].transpose(1, 2), y)
print(loss)
