"""Hand-written deep tanh layers with sigmoids inside, trained by a class."""
# accepts: init-scale
# allows: loss-plateau, lr-too-low, input-scale-small

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.weights = nn.ParameterList()
        for before, after in zip(sizes, sizes[1:]):
            self.weights.append(nn.Parameter(torch.randn(before, after) / before**0.5))  # <- vanishing-gradients, init-scale

    def forward(self, x):
        for weight in self.weights[:-1]:
            x = (x @ weight).sigmoid()  # <- vanishing-gradients
        return x @ self.weights[-1]


class Fit:
    def __init__(self):
        self.model = Stack([8, 32, 32, 32, 32, 32, 32, 3])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.02, momentum=0.9)

    def run(self, steps):
        centres = torch.randn(3, 8)
        for _ in range(steps):
            y = torch.randint(0, 3, (40,))
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(centres[y] + 0.3 * torch.randn(40, 8)), y).backward()
            self.optimizer.step()


torch.manual_seed(2)
Fit().run(120)
