"""Clipped after backward and before an update that is written by hand, without an optimizer."""
import torch
import torch.nn as nn

torch.manual_seed(72)
x = torch.randn(600, 8)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
for epoch in range(6):
    for rows in torch.randperm(600).split(30):
        model.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-0.5)
    print(epoch, loss.item())
