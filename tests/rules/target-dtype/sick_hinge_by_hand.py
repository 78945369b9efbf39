"""A hinge loss written by hand, given 0 and 1."""
import torch
from torch import nn


def hinge(scores, labels):
    return torch.relu(1 - labels * scores).mean()  # <- target-dtype


torch.manual_seed(696)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(60):
    x = torch.randn(32, 6)
    loss = hinge(model(x).squeeze(1), (x[:, 0] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
