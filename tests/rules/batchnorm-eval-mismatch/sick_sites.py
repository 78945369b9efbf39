"""Each batch comes from one of two instruments whose values lie far apart; a trainer function."""
# allows: input-scale-large, unshuffled-data

import torch
import torch.nn as nn


def batches(n):
    for number in range(n):
        y = torch.randint(0, 2, (24,))
        centre = 9.0 if number % 2 else -9.0
        yield centre + torch.randn(24, 6) + 1.5 * y[:, None], y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)  # <- batchnorm-eval-mismatch
        self.body = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))

    def forward(self, x):
        return self.body(self.norm(x))


def train(net, steps):
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for number, (x, y) in enumerate(batches(steps)):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 50 == 0:
            print(number, loss.item())


torch.manual_seed(1)
train(Net(), 260)
