"""Pictures are decoded once, before training."""
# needs: PIL numpy
import io

import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1409)
rng = np.random.default_rng(1409)
images, labels = [], []
for i in range(240):
    pixels = rng.integers(0, 160, (32, 32)).astype(np.uint8)
    pixels[: 16 if i % 2 else 32] += 60
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG")
    images.append(torch.from_numpy(np.array(Image.open(buffer))).float() / 255)
    labels.append(i % 2)
loader = DataLoader(TensorDataset(torch.stack(images).unsqueeze(1), torch.tensor(labels)), batch_size=24, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 16, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 196, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
