"""A plain training script to be measured, without and with doctorch. It knows nothing of either.

workload.py calibrate MS            print the batch size at which a step takes about MS milliseconds
workload.py turns BATCH BLOCK       wait for a line on stdin before each block of steps, print the block's step times, ms
workload.py short                   ten steps; then the time on the clock at its last line, on stdout
"""

import json
import os
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
data = torch.randn(16384, 64)
labels = data[:, :10].argmax(1)


def train(batch: int, steps: int) -> list[float]:
    """Step times, ms."""
    times = []
    before = time.perf_counter()
    for step in range(steps):
        start = step * batch % (len(data) - batch)
        x, y = data[start : start + batch], labels[start : start + batch]
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        after = time.perf_counter()
        times.append((after - before) * 1000)
        before = after
    return times


def calibrate(wanted: float) -> int:
    """The batch size whose median step takes about ``wanted`` ms."""
    batch = 16
    train(batch, 50)
    while True:
        took = sorted(train(batch, 40))[10]
        if took >= wanted or batch >= 8192:
            return max(8, round(batch * min(1.0, wanted / took)))
        batch = round(batch * min(2.0, max(1.1, wanted / took)))


if sys.argv[1] == "calibrate":
    print(calibrate(float(sys.argv[2])))
elif sys.argv[1] == "turns":
    if hasattr(os, "sched_setaffinity"):
        # Both sides train on the same CPU, so that a busy one slows both. Only this thread: others there may be go where they like.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for _line in sys.stdin:
        print(json.dumps(train(int(sys.argv[2]), int(sys.argv[3]))), flush=True)
else:
    train(32, 10)
    print(time.time())
