"""Causal attention, and a target that is the next token."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 32)
        self.pos = nn.Parameter(0.1 * torch.randn(24, 32))
        self.qkv = nn.Linear(32, 96)
        self.conv = nn.Conv1d(32, 32, 3)
        self.head = nn.Linear(32, n)

    def forward(self, x):
        h = self.emb(x) + self.pos
        q, k, v = self.qkv(h).chunk(3, -1)
        h = h + nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.conv(nn.functional.pad(h.transpose(1, 2), (2, 0))).transpose(1, 2)
        return self.head(h)


model = Model(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    at = torch.randint(0, len(ids) - 25, (8,)).tolist()
    x = torch.stack([ids[i : i + 24] for i in at])
    y = torch.stack([ids[i + 1 : i + 25] for i in at])
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
