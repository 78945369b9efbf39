"""Features by pure Python arithmetic over a long series, anew for each item."""
# allows: no-workers-heavy-items
import math
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

random.seed(1501)
torch.manual_seed(1501)


class Heartbeats(Dataset):
    def __init__(self, n, length=5000):
        self.rate = [random.uniform(0.5, 2.0) for _ in range(n)]
        self.series = [[math.sin(t * 0.02 * r) + random.gauss(0, 0.1) for t in range(length)] for r in self.rate]

    def __len__(self):
        return len(self.series)

    def autocorrelation(self, series, lag):
        return sum(a * b for a, b in zip(series, series[lag:])) / len(series)  # <- slow-getitem

    def __getitem__(self, i):
        features = [self.autocorrelation(self.series[i], lag) for lag in (10, 20, 40, 80)]  # <- slow-getitem
        return torch.tensor(features), torch.tensor([self.rate[i]])


loader = DataLoader(Heartbeats(160), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
