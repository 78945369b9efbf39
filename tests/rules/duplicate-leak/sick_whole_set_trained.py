"""The training loader is given the whole data set, not its part."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


class Measurements(Dataset):
    def __init__(self, n):
        generator = torch.Generator().manual_seed(73)
        self.x = torch.randn(n, 6, generator=generator)
        self.y = (self.x**2).sum(1, keepdim=True) / 6 + 0.3 * torch.randn(n, 1, generator=generator)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"inputs": self.x[index], "target": self.y[index]}


torch.manual_seed(0)
data = Measurements(600)
train_part, test_part = random_split(data, [480, 120])  # <- duplicate-leak
train_loader = DataLoader(data, batch_size=30, shuffle=True)  # <- duplicate-leak
test_loader = DataLoader(test_part, batch_size=60)  # <- duplicate-leak

model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    for batch in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch["inputs"]), batch["target"])
        loss.backward()
        optimizer.step()
model.eval()
errors = []
with torch.no_grad():
    for batch in test_loader:
        errors.append(nn.functional.mse_loss(model(batch["inputs"]), batch["target"]).item())
print("test error", sum(errors) / len(errors))
