"""The user's own exception hook, set after torch was imported."""

import sys
import traceback

import torch
from torch import nn


def report(kind, error, trace):
    print("hook:", kind.__name__, error)
    stack = traceback.extract_tb(trace)
    for frame in [*(f for f in stack if f.filename == __file__), stack[-1]]:
        print("  ", frame.name, frame.line)


sys.excepthook = report
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    nn.functional.mse_loss(model(torch.randn(4, 3)), torch.zeros(4, 2)).backward()
    optimizer.step()
    optimizer.zero_grad()
nn.functional.cross_entropy(model(torch.randn(4, 5)), torch.zeros(4).long())
