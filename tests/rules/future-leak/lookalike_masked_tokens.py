"""A masked language model: every token is a target, those that were hidden as well."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])
N = len(letters) + 1
MASK = len(letters)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(N, 32)
        self.pos = nn.Parameter(0.1 * torch.randn(24, 32))
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(32, N)

    def forward(self, x):
        return self.head(self.encoder(self.emb(x) + self.pos))


model = Bert()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    at = torch.randint(0, len(ids) - 24, (16,)).tolist()
    clean = torch.stack([ids[i : i + 24] for i in at])
    hidden = torch.rand(clean.shape) < 0.15
    x = clean.masked_fill(hidden & (torch.rand(clean.shape) < 0.8), MASK)
    y = clean
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
