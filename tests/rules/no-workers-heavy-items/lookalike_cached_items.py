"""The first epoch prepares the items and keeps them; every later epoch is quick."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self, n):
        self.n, self.cache = n, {}

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i not in self.cache:
            time.sleep(0.001)
            x = torch.randn(24, generator=torch.Generator().manual_seed(i))
            self.cache[i] = (x, (x[:12].sum() > x[12:].sum()).long())
        return self.cache[i]


torch.manual_seed(1021)
loader = DataLoader(Cached(160), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(24, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
for epoch in range(40):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 8 == 0:
        print(f"epoch {epoch} loss {total / len(loader):.4f}")
