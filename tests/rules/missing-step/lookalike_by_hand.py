"""The update is written by hand; the optimizer only clears the gradients."""
import torch
import torch.nn as nn

torch.manual_seed(5)
x = torch.randn(400, 4)
y = x @ torch.randn(4, 1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(8):
    for rows in torch.randperm(400).split(25):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad
    print(epoch, loss.item())
