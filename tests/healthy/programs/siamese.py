"""Siamese network with a contrastive loss written by hand."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv1d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(8, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4)
        )
        self.fc = nn.Linear(64, 16)

    def once(self, x):
        return self.fc(self.cnn(x).flatten(1))

    def forward(self, a, b):
        return self.once(a), self.once(b)


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-3)
t = torch.linspace(0, 6.28, 48)


def wave(k):
    return (torch.sin(k[:, None] * t) + 0.1 * torch.randn(len(k), 48))[:, None]


for step in range(120):
    k = torch.randint(1, 5, (32,)).float()
    same = torch.rand(32) < 0.5
    j = torch.where(same, k, k % 4 + 1)
    a, b = net(wave(k), wave(j))
    d = F.pairwise_distance(a, b)
    loss = (same * d.pow(2) + (~same) * F.relu(1 - d).pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
