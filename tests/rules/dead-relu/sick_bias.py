"""Biases start far below zero, so no unit is ever above it."""
# allows: loss-plateau, lr-too-low, class-imbalance, labels-misaligned

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(10, 48)
        self.two = nn.Linear(48, 48)
        self.out = nn.Linear(48, 4)
        for layer in (self.one, self.two):
            nn.init.constant_(layer.bias, -12.0)  # <- dead-relu

    def forward(self, x):
        return self.out(F.relu(self.two(F.relu(self.one(x)))))


torch.manual_seed(0)
centres = torch.randn(4, 10)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(100):
    y = torch.randint(0, 4, (32,))
    loss = F.cross_entropy(model(centres[y] + 0.3 * torch.randn(32, 10)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
