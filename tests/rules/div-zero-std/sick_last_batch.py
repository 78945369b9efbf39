"""The last batch has one sample, and the standard deviation of one value is 0 divided by 0."""
# allows: loss-diverges
import torch
import torch.nn as nn


def step(model, optimizer, a, b):
    advantage = (b - b.mean()) / (b.std() + 1e-8)  # <- div-zero-std
    loss = (model(a) - advantage).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
x = torch.randn(161, 10)
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(3):
    for start in range(0, 161, 16):
        loss = step(model, optimizer, x[start : start + 16], 2 * x[start : start + 16, :1])
    print(epoch, loss)
