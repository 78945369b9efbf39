"""An init function applied to every Linear of a trainer's model sets weights and biases to zero."""
# allows: dead-relu, loss-plateau, class-imbalance

import torch
from torch import nn


def reset(module):
    if isinstance(module, nn.Linear):
        module.weight.data.fill_(0.0)  # <- zero-init
        module.bias.data.fill_(0.0)


class Scorer(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.first = nn.Linear(6, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, 3)
        self.apply(reset)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = torch.tanh(self.second(x))
        return self.last(x)


class Trainer:
    def __init__(self):
        self.model = Scorer()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)
        self.criterion = nn.CrossEntropyLoss()

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(3)
centres = torch.randn(3, 6) * 2
trainer = Trainer()
for _ in range(80):
    y = torch.randint(0, 3, (32,))
    trainer.step(centres[y] + 0.3 * torch.randn(32, 6), y)
