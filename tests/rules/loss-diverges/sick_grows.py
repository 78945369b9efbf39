"""A trainer that climbs: the step is taken along the gradient, and the error grows a thousandfold."""
# accepts: loss-sign, lr-too-high
import torch
import torch.nn as nn


class Trainer:
    def __init__(self):
        torch.manual_seed(332)
        self.x = torch.randn(600, 5)
        self.y = self.x.sum(1, keepdim=True)
        self.model = nn.Linear(5, 1)

    def step(self):
        rows = torch.randint(0, 600, (32,))
        loss = nn.functional.mse_loss(self.model(self.x[rows]), self.y[rows])
        self.model.zero_grad()
        loss.backward()  # <- loss-diverges, loss-sign, lr-too-high
        with torch.no_grad():
            for p in self.model.parameters():
                p += 0.02 * p.grad
        return loss.item()


trainer = Trainer()
for number in range(80):
    value = trainer.step()
    if number % 10 == 0:
        print(number, value)
