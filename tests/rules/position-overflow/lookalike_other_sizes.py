# exits: 1
"""Two widths that do not fit: nothing to do with positions."""

import torch
from torch import nn

torch.manual_seed(0)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 16)
        self.scale = nn.Parameter(torch.ones(12))

    def forward(self, x):
        return self.inner(x) * self.scale[: len(self.scale)]


print(Gate()(torch.randn(4, 8)))
