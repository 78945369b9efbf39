"""A training that does not fall, so that every experiment is made: dropout, noise from three generators, a file that is read line by
line while it trains, a schedule, momentum, files that are written."""

import hashlib
import random
import sys

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
random.seed(4)
np.random.seed(5)
workers = int(sys.argv[1]) if len(sys.argv) > 1 else 0

with open("numbers.txt", "w") as out:
    out.writelines(f"{i % 7}\n" for i in range(100_000))

inputs = 20 * torch.randn(400, 6)
targets = torch.randint(0, 2, (400,))
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10, gamma=0.99)
lines = open("numbers.txt")  # noqa: SIM115
loader = DataLoader(TensorDataset(inputs, targets), batch_size=20, shuffle=True, num_workers=workers)
total = 0
for epoch in range(7):
    for x, y in loader:
        total += int(next(lines))
        x = x + 0.01 * torch.randn_like(x) + 0.01 * random.random() + 0.01 * float(np.random.rand())
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    with open("log.txt", "a") as log:
        log.write(f"{epoch} {loss.item()!r}\n")
    torch.save(model.state_dict(), "model.pt")
    print(epoch, repr(loss.item()), total, optimizer.param_groups[0]["lr"])
digest = hashlib.sha256()
for value in model.state_dict().values():
    digest.update(value.numpy().tobytes())
print(digest.hexdigest(), torch.rand(1).item(), random.random(), np.random.rand(), total)
with open("log.txt") as log:
    print(log.read())
