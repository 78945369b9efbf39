"""A part of the training rows is evaluated from a loader of its own, to see quickly how well they are learned."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(82)
data = TensorDataset(torch.randn(900, 10), torch.randint(0, 3, (900,)))
loader = DataLoader(data, batch_size=45, shuffle=True)
quick = DataLoader(Subset(data, range(150)), batch_size=50)
net = nn.Sequential(nn.Linear(10, 128), nn.ReLU(), nn.Linear(128, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(10):
    for a, b in loader:
        loss = nn.functional.cross_entropy(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((net(a).argmax(1) == b).sum().item() for a, b in quick)
    print(epoch, loss.item(), right / 150)
