"""An uncaught exception with a cause, raised below wrapped functions: the printed traceback, and what traceback shows when it is caught."""

import sys
import traceback

import torch
from torch import nn
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 8

    def __getitem__(self, i):
        if i == 5:
            raise KeyError(f"item {i}")
        return torch.ones(2) * i


class Broken(nn.Module):
    def forward(self, x):
        try:
            return x @ torch.ones(7, 7)
        except RuntimeError as error:
            raise ValueError("no such product") from error


for attempt in (lambda: list(DataLoader(Items(), 4)), lambda: Broken()(torch.ones(3, 2)), lambda: open("missing.txt").close()):
    try:
        attempt()
    except (KeyError, ValueError, OSError) as error:
        print(type(error).__name__, error)
        traceback.print_exc(file=sys.stdout, limit=1)
optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
optimizer.step(lambda: Broken()(torch.ones(3, 2)))
