"""A trainer class that names the method and does not call it."""
# allows: loss-plateau
import torch
import torch.nn as nn


class Trainer:
    def __init__(self):
        torch.manual_seed(2)
        self.x = torch.randn(320, 4)
        self.y = self.x.sum(1, keepdim=True)
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self, rows):
        loss = ((self.net(self.x[rows]) - self.y[rows]) ** 2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step  # noqa: B018  # <- missing-step
        return loss.item()

    def fit(self):
        for epoch in range(5):
            order = torch.randperm(320)
            print(epoch, sum(self.step(rows) for rows in order.split(32)) / 10)


Trainer().fit()
