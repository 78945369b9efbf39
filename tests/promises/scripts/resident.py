"""Trains for a while and prints the highest resident memory of the process, KiB."""

import resource

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(2000, 32)
data = DataLoader(TensorDataset(x, x[:, :8].argmax(1)), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    for xb, yb in data:
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
