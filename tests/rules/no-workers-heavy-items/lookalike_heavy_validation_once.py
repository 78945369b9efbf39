"""Only the validation set is slow to read, and it is read once at the end, not in training steps."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Archive(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        time.sleep(0.003)
        return self.x[i], self.y[i]


torch.manual_seed(1049)
y = torch.randint(0, 3, (1000,))
x = torch.randn(3, 12)[y] + 0.7 * torch.randn(1000, 12)
train = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=30, shuffle=True)
test = DataLoader(Archive(x[900:], y[900:]), batch_size=50)
model = nn.Sequential(nn.Linear(12, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    for xb, yb in train:
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
model.eval()
with torch.no_grad():
    print("accuracy", sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in test) / 100)
