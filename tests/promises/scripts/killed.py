"""Prints the end of each step on the clock, and kills itself in the middle of the training."""

import os
import signal
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
step, began = 0, time.monotonic()
while True:
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, time.monotonic(), flush=True)
    step += 1
    if time.monotonic() - began > 3.0:
        print("killed", time.monotonic(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
