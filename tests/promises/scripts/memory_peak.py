"""Prints the peak of tensor memory, to the byte, of training steps and of an evaluation whose activations are dropped on the way.

Every allocation and release of the CPU allocator is counted through the profiler's memory events.
"""

import random

import torch
from torch import nn
from torch.autograd.profiler import profile
from torch.utils.data import DataLoader, TensorDataset

random.seed(0)
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 64)
        self.layers = nn.ModuleList(nn.Linear(64, 64) for _ in range(6))
        self.head = nn.Linear(64, 10)

    def forward(self, ids):
        h = self.table(ids)
        for layer in self.layers:
            h = torch.relu(layer(h)) + h
        return self.head(h.mean(1))


def peak(events):
    """The highest running sum of what was allocated and not yet released, and where the sum ends."""
    total = highest = 0
    for event in sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        total += event.nbytes()
        highest = max(highest, total)
    return highest, total


def run():
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randint(0, 100, (160, 50)), torch.randint(0, 10, (160,)))
    for _epoch in range(2):
        for ids, y in DataLoader(data, batch_size=24, shuffle=True):
            loss = nn.functional.cross_entropy(model(ids), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for _ in range(3):
                # Much larger than a training step if anybody kept its activations.
                model(torch.randint(0, 100, (400, 50)))
    return loss.item()


run()  # what is allocated once and kept (caches of the library) is not of interest
with profile(profile_memory=True) as profiler:
    run()
print(*peak(profiler.kineto_results.events()))
