"""Signal handlers and timers of the user's work as plain, also while a loader is read."""

import signal

import torch
from torch import nn
from torch.utils.data import DataLoader

TIMERS = (signal.SIGALRM, signal.SIGUSR1, signal.SIGPROF, signal.SIGVTALRM)
print([signal.getsignal(n) for n in TIMERS], signal.getitimer(signal.ITIMER_REAL))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.set_wakeup_fd(-1))
seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append((number, frame.f_code.co_name)))


def busy(n):
    total = 0
    for i in range(n):
        total += i
    return total


class Items:
    def __len__(self):
        return 64

    def __getitem__(self, i):
        busy(4000)
        if i == 40:
            signal.raise_signal(signal.SIGUSR1)
        return torch.ones(3) * i


model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for x in DataLoader(Items(), 8):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
print(seen, signal.getitimer(signal.ITIMER_REAL))

rings = []
signal.signal(signal.SIGALRM, lambda number, frame: rings.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.01)
for x in DataLoader(Items(), 8):
    model(x)
while not rings:
    busy(1000)
print(rings, signal.getitimer(signal.ITIMER_REAL)[1], [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)])
