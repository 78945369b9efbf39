"""What a script finds in the process's tables after a training with a slow loader: threads, signal handlers, exit functions."""

import atexit
import signal
import threading

import torch
from torch import nn
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 160

    def __getitem__(self, i):
        return torch.ones(3) * sum(j % 7 for j in range(3000)) * i


model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-12)
for x in DataLoader(Items(), 8):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
print(sorted(thread.name for thread in threading.enumerate()), threading.active_count())
print({number.name: signal.getsignal(number) for number in signal.valid_signals() if isinstance(number, signal.Signals)})
atexit.register(print, "last words")
