"""Weights of deviation one in a deep ReLU net."""
# accepts: exploding-gradients
# allows: loss-plateau, loss-diverges, lr-too-high, dead-relu, exp-overflow

import torch
from torch import nn


def init(module):
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, mean=0.0, std=1.0)  # <- init-scale, exploding-gradients
        nn.init.zeros_(module.bias)


torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5)
)  # fmt: skip
net.apply(init)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(60):
    x = torch.randn(32, 20)
    loss = nn.functional.cross_entropy(net(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
