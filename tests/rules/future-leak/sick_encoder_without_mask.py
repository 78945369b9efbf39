"""A language model on an encoder without a causal mask."""

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
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, n)

    def forward(self, x):
        h = self.emb(x) + self.pos[: x.shape[1]]
        return self.head(self.encoder(h))  # <- future-leak


model = Model(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(40):
    at = torch.randint(0, len(ids) - 25, (8,)).tolist()
    x = torch.stack([ids[i : i + 24] for i in at])
    y = torch.stack([ids[i + 1 : i + 25] for i in at])
    loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
