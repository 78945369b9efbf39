"""A regression whose loss falls."""
import torch
import torch.nn as nn

torch.manual_seed(333)
x = torch.randn(800, 12)
y = x @ torch.randn(12, 1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(120):
    rows = torch.randint(0, 800, (40,))
    loss = nn.functional.mse_loss(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
