"""The target against a shifted copy of itself, in a trainer; backward raises."""
# exits: 1
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.GRU(3, 8, batch_first=True)
        self.out = nn.Linear(8, 3)
        self.optimizer = torch.optim.Adam([*self.net.parameters(), *self.out.parameters()])

    def step(self, series):
        hidden, _ = self.net(series[:, :-1])
        prediction = self.out(hidden)
        assert prediction.shape == series[:, 1:].shape
        loss = F.l1_loss(series[:, :-1], series[:, 1:])  # <- loss-detached-from-model
        self.optimizer.zero_grad()
        loss.backward()  # <- loss-detached-from-model
        self.optimizer.step()


torch.manual_seed(712)
trainer = Trainer()
for _ in range(5):
    trainer.step(torch.randn(8, 10, 3))
