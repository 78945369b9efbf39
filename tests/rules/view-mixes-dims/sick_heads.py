"""Attention heads are split off by a reshape straight to (batch, heads, time, width)."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def split(self, t):
        batch, time, width = t.shape
        return t.reshape(batch, self.heads, time, width // self.heads)  # <- view-mixes-dims

    def forward(self, x):
        q, k, v = (self.split(t) for t in self.qkv(x).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(mixed.transpose(1, 2).reshape(x.shape))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(20, 32)
        self.places = nn.Embedding(10, 32)
        self.attention = Attention(32, 4)
        self.head = nn.Linear(32, 20)

    def forward(self, x):
        return self.head(self.attention(self.tokens(x) + self.places(torch.arange(x.shape[1]))))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(80):
    x = torch.randint(0, 20, (24, 10))
    loss = F.cross_entropy(model(x).reshape(-1, 20), x.flip(1).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
