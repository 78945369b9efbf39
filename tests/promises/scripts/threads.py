"""Training in threads beside the main one; an exception in a thread."""

import sys
import threading

import torch
from torch import nn


def train(seed, out):
    generator = torch.Generator().manual_seed(seed)
    model = nn.Linear(4, 1)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(400):
        x = torch.randn(16, 4, generator=generator)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    out[seed] = loss.item().hex()


results = {}
workers = [threading.Thread(target=train, args=(seed, results), name=f"trainer-{seed}") for seed in range(5)]
for worker in workers:
    worker.start()
train(9, results)
for worker in workers:
    worker.join()
print(sorted(results.items()))
print(threading.main_thread().name, threading.current_thread() is threading.main_thread())
threading.excepthook = lambda args: print("thread", args.thread.name, "died of", args.exc_type.__name__)
dying = threading.Thread(target=lambda: nn.Linear(2, 2)(torch.ones(3)), name="dying")
dying.start()
dying.join()
print(sys.getswitchinterval())
