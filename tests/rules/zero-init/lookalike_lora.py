"""LoRA: the second of two small matrices beside frozen weights starts at zero; zero convolutions around a branch do too."""

import torch
from torch import nn


class Lora(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


class Controlled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Lora(nn.Linear(10, 32)), nn.ReLU(), Lora(nn.Linear(32, 32)), nn.ReLU())
        self.enter = nn.Linear(10, 10)
        self.branch = nn.Linear(10, 32)
        self.leave = nn.Linear(32, 32)
        for layer in (self.enter, self.leave):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.body(x) + self.leave(self.branch(x + self.enter(x))))


torch.manual_seed(0)
net = Controlled()
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=3e-3)
centres = torch.randn(3, 10) * 1.5
for _ in range(80):
    y = torch.randint(0, 3, (32,))
    loss = nn.functional.cross_entropy(net(centres[y] + torch.randn(32, 10)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
