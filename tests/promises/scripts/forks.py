"""A training that forks in the middle: both go on, the child ends in each of the ways a child can."""

import os
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train(steps):
    for _ in range(steps):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item().hex()


print("before", train(6), flush=True)
for ending in ("return", "_exit", "exit", "raise"):
    pid = os.fork()
    if pid == 0:
        print("child", ending, train(6), flush=True)
        if ending == "_exit":
            os._exit(7)
        if ending == "exit":
            sys.exit(8)
        if ending == "raise":
            os.close(2)
            raise ValueError("in the child")
        break
    print("parent of", ending, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
else:
    print("parent", train(6))
