"""Converted after the optimizer was made: the tensors stay the same. A second network in the optimizer is not used yet."""
import torch
import torch.nn as nn

torch.manual_seed(25)
x = torch.randn(400, 6, dtype=torch.float64)
y = x.sum(1, keepdim=True)
model, later = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)), nn.Linear(6, 1)
optimizer = torch.optim.Adam([*model.parameters(), *later.parameters()], lr=1e-2)
model.double()
for epoch in range(8):
    for rows in torch.randperm(400).split(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
