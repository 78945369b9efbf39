"""Three tasks, one after the other, with a few rows of earlier ones; how well is each still known, on its training and test rows?"""

import torch
import torch.nn as nn
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset

torch.manual_seed(84)


def rows_of(direction, n):
    x = torch.randn(n, 10)
    return TensorDataset(x, (x @ direction).argmax(1))


directions = [torch.randn(10, 3) for _ in range(3)]
tasks = [(rows_of(direction, 300), rows_of(direction, 100)) for direction in directions]
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)


@torch.no_grad()
def accuracy(part):
    return sum((net(a).argmax(1) == b).sum().item() for a, b in DataLoader(part, batch_size=50)) / len(part)


for number, (train, _) in enumerate(tasks):
    kept = ConcatDataset([train, *(Subset(earlier, range(50)) for earlier, _ in tasks[:number])])
    for _ in range(4):
        for a, b in DataLoader(kept, batch_size=30, shuffle=True):
            loss = nn.functional.cross_entropy(net(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(number, [f"{accuracy(a):.2f} {accuracy(b):.2f}" for a, b in tasks[: number + 1]])
