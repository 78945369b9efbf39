"""A model with two towers: the text tower's result is made into a new tensor. Metrics that are logged stand before the cut."""
# allows: loss-plateau
import torch
import torch.nn as nn


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.text = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 8))
        self.seen = []

    def forward(self, image, text):
        a, b = self.image(image), self.text(text)
        self.seen.append(b.norm().item())
        b = torch.from_numpy(b.detach().numpy().copy())  # <- graph-broken-partial
        return nn.functional.normalize(a, dim=1) @ nn.functional.normalize(b, dim=1).t()


def train(model, optimizer, steps):
    for _ in range(steps):
        text = torch.randn(24, 6)
        image = torch.cat([text, text.flip(1)], 1) + 0.1 * torch.randn(24, 12)
        scores = model(image, text) * 10
        loss = nn.functional.cross_entropy(scores, torch.arange(24))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


torch.manual_seed(156)
towers = TwoTowers()
train(towers, torch.optim.Adam(towers.parameters(), lr=3e-3), 60)
