"""Weights of deviation 3 before tanh."""
# allows: loss-plateau, vanishing-gradients, init-scale, lr-too-low, lr-too-high

import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.first = nn.Linear(16, width)
        self.second = nn.Linear(width, width)
        self.third = nn.Linear(width, width)
        self.out = nn.Linear(width, 4)
        for layer in (self.first, self.second, self.third):
            nn.init.normal_(layer.weight, std=3.0)  # <- saturated-activations

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = torch.tanh(self.second(x))
        x = torch.tanh(self.third(x))
        return self.out(x)


torch.manual_seed(0)
model = Mlp()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(80):
    x = torch.randn(32, 16)
    y = (x[:, 0] > 0).long() * 2 + (x[:, 1] * x[:, 2] > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
