"""The texts are encoded once, in __init__."""
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Encoded(Dataset):
    def __init__(self, texts, labels):
        words = sorted({w for t in texts for w in t.split()})
        index = {w: i for i, w in enumerate(words)}
        self.size = len(words)
        self.ids = [torch.tensor([index[w] for w in t.split()]) for t in texts]
        self.labels = labels

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.ids[i], self.labels[i]


random.seed(1213)
torch.manual_seed(1213)
labels = [random.randrange(2) for _ in range(600)]
data = Encoded([" ".join(f"w{random.randrange(60) + 30 * label}" for _ in range(100)) for label in labels], labels)
loader = DataLoader(data, batch_size=20, shuffle=True)
model = nn.Sequential(nn.EmbeddingBag(data.size, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(8):
    for ids, y in loader:
        loss = nn.functional.cross_entropy(model(ids), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
