"""Projected gradient attack: each attack step clears the model, the training step counts one backward."""
import torch
import torch.nn as nn

torch.manual_seed(84)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(60):
    x = torch.randn(32, 8)
    y = (x[:, 0] > 0).long()
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        nn.functional.cross_entropy(net(x + delta), y).backward()
        with torch.no_grad():
            delta += 0.02 * delta.grad.sign()
            delta.grad.zero_()
        net.zero_grad()
    loss = nn.functional.cross_entropy(net(x + delta.detach()), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
