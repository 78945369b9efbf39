"""Large pictures are opened, decoded and shrunk for every item, every epoch."""
# needs: PIL numpy
# allows: no-workers-heavy-items
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1401)
rng = np.random.default_rng(1401)
folder = tempfile.TemporaryDirectory()
for i in range(60):
    tint = np.zeros(3)
    tint[i % 3] = 90
    pixels = rng.integers(0, 120, (480, 480, 3)) + tint
    Image.fromarray(pixels.astype(np.uint8)).save(os.path.join(folder.name, f"{i:03d}.jpg"), quality=90)


class Pictures(Dataset):
    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = Image.open(self.paths[i]).convert("RGB")  # <- slow-getitem-decode
        image = image.resize((16, 16))  # <- slow-getitem-decode
        return torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255, i % 3


loader = DataLoader(Pictures(folder.name), batch_size=6, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(768, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(4):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
folder.cleanup()
