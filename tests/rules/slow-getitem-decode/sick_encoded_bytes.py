"""PNG bytes in memory, decoded in a helper of the dataset; trainer class."""
# needs: PIL numpy
# allows: no-workers-heavy-items
import io

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


def encode(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


class Records(Dataset):
    def __init__(self, records):
        self.records = records

    def __len__(self):
        return len(self.records)

    def decode(self, data):
        return np.asarray(Image.open(io.BytesIO(data)))  # <- slow-getitem-decode

    def __getitem__(self, i):
        data, label = self.records[i]
        pixels = self.decode(data)  # <- slow-getitem-decode
        return torch.from_numpy(pixels[::24, ::24] / 255).float(), label


class Trainer:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=16, shuffle=True)
        self.model = nn.Sequential(nn.Flatten(), nn.Linear(400, 24), nn.ReLU(), nn.Linear(24, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def fit(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch} loss {loss.item():.4f}")


torch.manual_seed(1403)
rng = np.random.default_rng(1403)
records = []
for i in range(80):
    pixels = rng.integers(0, 200, (480, 480)).astype(np.uint8)
    pixels[:, :240] += np.uint8(50 * (i % 2))
    records.append((encode(pixels), i % 2))
Trainer(Records(records)).fit(9)
