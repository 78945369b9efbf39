"""Squared errors added up by hand in a method."""
# allows: loss-diverges, lr-too-high, exploding-gradients
import torch
from torch import nn


class Fit:
    def __init__(self, lr):
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)

    def loss(self, x, y):
        return ((self.net(x) - y) ** 2).sum()  # <- loss-reduction-sum

    def step(self, x, y):
        self.opt.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.opt.step()
        return loss.item()


torch.manual_seed(672)
fit = Fit(0.02)
mix = torch.randn(4, 2)
for step in range(60):
    x = torch.randn(128, 4)
    value = fit.step(x, x @ mix)
    if step % 20 == 19:
        print(step, value)
