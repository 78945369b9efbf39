"""Training pictures are shifted and turned; how well they are known as they are is printed beside the test pictures."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    def __init__(self, n, augment):
        generator = torch.Generator().manual_seed(3)
        self.y = torch.randint(0, 3, (n,), generator=generator)
        kinds = torch.randn(3, 1, 12, 12, generator=generator)
        self.x = kinds[self.y] + 0.8 * torch.randn(n, 1, 12, 12, generator=generator)
        self.augment = augment

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        if self.augment:
            x = torch.roll(x, int(torch.randint(-1, 2, ())), -1)
            x = x.flip(-1) if torch.rand(()) < 0.5 else x
        return x, self.y[i]


torch.manual_seed(86)
order = torch.randperm(800).tolist()
loader = DataLoader(Subset(Pictures(800, True), order[:600]), batch_size=40, shuffle=True)
plain = [DataLoader(Subset(Pictures(800, False), rows), batch_size=50) for rows in (order[:600], order[600:])]
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(72, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    model.train()
    for a, b in loader:
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = [sum((model(a).argmax(1) == b).sum().item() for a, b in part) / len(part.dataset) for part in plain]
    print(epoch, loss.item(), *right)
