"""The index is built when the first item is asked for; after that items are cheap."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class LazyTable(Dataset):
    def __init__(self, n):
        self.n, self.rows = n, None

    def _load(self):
        time.sleep(0.5)
        self.rows = torch.randn(self.n, 16, generator=torch.Generator().manual_seed(5))

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if self.rows is None:
            self._load()
        return self.rows[i], self.rows[i, :4].argmax()


torch.manual_seed(1033)
model = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = DataLoader(LazyTable(960), batch_size=32, shuffle=True)
for epoch in range(12):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
