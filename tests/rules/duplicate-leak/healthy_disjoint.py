"""One split, three parts without a common row; the test is made once at the end with the best weights."""

import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(74)
x = torch.randn(1000, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
train, valid, test = random_split(TensorDataset(x, y), [700, 150, 150])
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def accuracy(part):
    model.eval()
    with torch.no_grad():
        return sum((model(a).argmax(1) == b).sum().item() for a, b in DataLoader(part, 50)) / len(part)


best, kept = 0.0, None
for epoch in range(8):
    model.train()
    for a, b in DataLoader(train, 50, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
    reached = accuracy(valid)
    if reached > best:
        best, kept = reached, copy.deepcopy(model.state_dict())
    print(epoch, loss.item(), accuracy(train), reached)
model.load_state_dict(kept)
print("test", accuracy(test))
