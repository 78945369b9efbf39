"""Activation checkpointing runs the blocks without gradients and once more in backward."""
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Deep(nn.Module):
    def __init__(self, width, depth, reentrant):
        super().__init__()
        self.inp = nn.Linear(8, width)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(depth))
        self.out = nn.Linear(width, 1)
        self.reentrant = reentrant

    def forward(self, x):
        h = self.inp(x)
        for block in self.blocks:
            h = h + checkpoint(block, h, use_reentrant=self.reentrant)
        return self.out(h)


torch.manual_seed(379)
x = torch.randn(480, 8)
y = x[:, :1] * x[:, 1:2]
for reentrant in (True, False):
    model = Deep(32, 4, reentrant)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(3):
        total = 0.0
        for rows in torch.randperm(480).split(40):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"reentrant {reentrant} epoch {epoch} loss {total / 12:.4f}")
