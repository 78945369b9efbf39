"""Weights of deviation 0.001 in five layers of a class."""
# accepts: vanishing-gradients
# allows: loss-plateau, lr-too-low, input-scale-small

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [16, 64, 64, 64, 64, 4]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        for layer in self.layers:
            layer.weight.data.normal_(0, 0.001)  # <- init-scale
            layer.bias.data.zero_()

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x)


def fit():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    centres = torch.randn(4, 16)
    for _ in range(100):
        y = torch.randint(0, 4, (32,))
        loss = F.cross_entropy(model(centres[y] + 0.3 * torch.randn(32, 16)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


fit()
