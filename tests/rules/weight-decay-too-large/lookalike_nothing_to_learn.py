"""Noise as target with a usual decay: the loss stays up, and not for the decay."""
import torch
import torch.nn as nn

torch.manual_seed(56)
x, y = torch.randn(640, 8), torch.randn(640, 1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, weight_decay=1e-2)
for epoch in range(3):
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
