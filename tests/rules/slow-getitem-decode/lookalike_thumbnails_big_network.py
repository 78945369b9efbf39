"""Tiny thumbnails are decoded per item, which takes a few per cent of the step of a real network."""
# needs: PIL numpy
import io

import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Thumbnails(Dataset):
    def __init__(self, n, rng):
        self.items = []
        for i in range(n):
            pixels = rng.integers(0, 180, (16, 16, 3)).astype(np.uint8)
            pixels[..., i % 3] += 60
            buffer = io.BytesIO()
            Image.fromarray(pixels).save(buffer, "PNG", compress_level=0)
            self.items.append((buffer.getvalue(), i % 3))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        data, label = self.items[i]
        image = np.array(Image.open(io.BytesIO(data)))
        return torch.from_numpy(image).permute(2, 0, 1).float() / 255, label


torch.manual_seed(1423)
loader = DataLoader(Thumbnails(192, np.random.default_rng(1423)), batch_size=16, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 3),
)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(4):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
