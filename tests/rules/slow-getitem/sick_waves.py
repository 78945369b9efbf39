"""A signal is computed value by value with the math module, for every sample anew."""
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Waves(Dataset):
    def __len__(self):
        return 480

    def __getitem__(self, i):
        values = []
        for t in range(6000):  # <- slow-getitem
            values.append(math.sin(t * (0.01 if i % 2 else 0.03) + i))  # <- slow-getitem
        return torch.tensor(values[::60]), i % 2


model = nn.Sequential(nn.Linear(100, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for epoch in range(4):
    for signal, label in DataLoader(Waves(), batch_size=20, shuffle=True):  # <- no-workers-heavy-items
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(signal), label)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
