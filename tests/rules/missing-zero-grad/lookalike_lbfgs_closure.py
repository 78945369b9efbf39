"""LBFGS calls the closure many times a step; the closure clears first."""
import math

import torch
import torch.nn as nn

torch.manual_seed(7)
t = torch.linspace(0, 2 * math.pi, 200).unsqueeze(1)
signal = torch.sin(t) + 0.3 * torch.cos(3 * t)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10, line_search_fn="strong_wolfe")
criterion = nn.MSELoss()


def closure():
    optimizer.zero_grad()
    loss = criterion(net(t), signal)
    loss.backward()
    return loss


for step in range(15):
    loss = optimizer.step(closure)
    print(f"step {step} loss {loss.item():.6f}")
