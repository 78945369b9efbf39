"""A sum under Adam, and a sum that is divided by the number of samples under plain gradient descent."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(675)
mix = torch.randn(8)
one = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
adam = torch.optim.Adam(one.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(64, 8)
    loss = F.mse_loss(one(x), (x @ mix).unsqueeze(1), reduction="sum")
    adam.zero_grad()
    loss.backward()
    adam.step()
two = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
sgd = torch.optim.SGD(two.parameters(), lr=0.05)
for step in range(60):
    x = torch.randn(64, 8)
    loss = F.mse_loss(two(x), (x @ mix).unsqueeze(1), reduction="sum") / len(x)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    if step % 20 == 19:
        print(step, loss.item())
