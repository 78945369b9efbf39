"""Integer labels into a loss of numbers, in a method."""
# exits: 1
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def step(self, x, y):
        loss = F.binary_cross_entropy_with_logits(self.model(x).squeeze(1), y)  # <- target-dtype
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(692)
trainer = Trainer()
for _ in range(5):
    x = torch.randn(16, 4)
    trainer.step(x, (x[:, 0] > 0).long())
