"""Every item waits for a store; everything is fetched in the training process."""
# accepts: slow-getitem
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1001)


class ObjectStore:
    def __init__(self, n):
        self.blobs = torch.rand(n, 3, 12, 12)

    def get(self, key):
        time.sleep(0.004)  # <- no-workers-heavy-items
        return self.blobs[key]


class RemoteImages(Dataset):
    def __init__(self, n):
        self.store = ObjectStore(n)

    def __len__(self):
        return len(self.store.blobs)

    def __getitem__(self, i):
        image = self.store.get(i)  # <- no-workers-heavy-items
        return image, image.mean((1, 2)).argmax()


loader = DataLoader(RemoteImages(256), batch_size=16, shuffle=True)  # <- no-workers-heavy-items
model = nn.Sequential(nn.Flatten(), nn.Linear(432, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(2):
    for x, y in loader:  # <- no-workers-heavy-items
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
