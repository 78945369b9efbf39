"""Pixels as 0..255 go straight into a network; its first updates throw it off."""
# allows: lr-too-high, loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(301)


def scans(n):
    kind = torch.randint(0, 5, (n,))
    base = torch.rand(5, 64, generator=torch.Generator().manual_seed(1))
    x = ((base[kind] + 0.2 * torch.rand(n, 64)) / 1.2 * 255).floor()  # <- input-scale-large
    return x, kind  # <- input-scale-large


x, y = scans(1600)  # <- input-scale-large
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)  # <- input-scale-large
model = nn.Sequential(nn.Linear(64, 48), nn.Tanh(), nn.Linear(48, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(4):
    total = 0.0
    for images, kinds in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), kinds)  # <- input-scale-large
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
