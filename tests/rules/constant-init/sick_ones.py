"""Weights of a convolutional net set to one value in a loop over the modules."""
# allows: loss-plateau, lr-too-high, init-scale, saturated-activations, vanishing-gradients

import torch
import torch.nn.functional as F
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.hidden = nn.Linear(8 * 16, 32)
        self.out = nn.Linear(32, 4)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                module.weight.data.fill_(0.02)  # <- constant-init
                module.bias.data.zero_()

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.out(F.relu(self.hidden(x.flatten(1))))


torch.manual_seed(0)
templates = torch.rand(4, 1, 8, 8)
model = Small()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(80):
    y = torch.randint(0, 4, (32,))
    x = templates[y] + 0.1 * torch.randn(32, 1, 8, 8)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
