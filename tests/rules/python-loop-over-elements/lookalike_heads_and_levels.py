"""Short loops over heads, levels and losses, each turn a real piece of work."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Pyramid(nn.Module):
    def __init__(self, channels=12, levels=4, heads=3):
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.levels = nn.ModuleList(nn.Conv2d(channels, channels, 3, stride=2, padding=1) for _ in range(levels))
        self.heads = nn.ModuleList(nn.Linear(channels, 2) for _ in range(heads))

    def forward(self, x):
        x = self.stem(x)
        pooled = 0
        for level in self.levels:
            x = F.relu(level(x))
            pooled = pooled + x.mean((2, 3))
        return [head(pooled) for head in self.heads]


torch.manual_seed(937)
model = Pyramid()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    images = torch.randn(16, 1, 32, 32) + torch.randn(16, 1, 1, 1)
    truth = [(images.mean((1, 2, 3)) > t).long() for t in (-0.5, 0.0, 0.5)]
    loss = sum(F.cross_entropy(o, y) for o, y in zip(model(images), truth))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 15 == 0:
        print(f"step {step} loss {loss.item():.4f}")
