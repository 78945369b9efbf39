"""A prefix is read both ways; its tokens are not among the targets."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])
PREFIX = 8


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 32)
        self.pos = nn.Parameter(0.1 * torch.randn(24, 32))
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(32, n)

    def forward(self, x):
        mask = torch.triu(torch.ones(24, 24, dtype=torch.bool), 1)
        mask[:PREFIX, :PREFIX] = False
        return self.head(self.encoder(self.emb(x) + self.pos, mask=mask))


model = Model(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    at = torch.randint(0, len(ids) - 25, (8,)).tolist()
    x = torch.stack([ids[i : i + 24] for i in at])
    y = torch.stack([ids[i + 1 : i + 25] for i in at])
    y[:, : PREFIX - 1] = -100
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
