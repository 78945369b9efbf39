"""np.load of the whole array for every single row."""
# allows: no-workers-heavy-items
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1301)
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "signals.npy")
np.save(path, np.random.default_rng(1301).normal(size=(6000, 1024)).astype(np.float32))


class Signals(Dataset):
    def __init__(self, path, n):
        self.path, self.n = path, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        signals = np.load(self.path)  # <- slow-getitem-reload-file
        row = torch.from_numpy(signals[i, ::8].copy())
        return row, (row[:64].sum() > row[64:].sum()).long()


loader = DataLoader(Signals(path, 240), batch_size=12, shuffle=True)
model = nn.Sequential(nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
folder.cleanup()
