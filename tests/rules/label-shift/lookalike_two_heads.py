"""One head tells the next token, another the one after it."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class Heads(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.heads = nn.ModuleList([nn.Linear(32, n), nn.Linear(32, n)])

    def forward(self, x):
        h = self.rnn(self.emb(x))[0]
        return [head(h) for head in self.heads]


model = Heads(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(60):
    at = torch.randint(0, len(ids) - 26, (8,)).tolist()
    x = torch.stack([ids[i : i + 24] for i in at])
    one, two = (torch.stack([ids[i + k : i + k + 24] for i in at]) for k in (1, 2))
    near, far = model(x)
    loss = nn.functional.cross_entropy(near.flatten(0, 1), one.flatten())
    loss = loss + 0.3 * nn.functional.cross_entropy(far.flatten(0, 1), two.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
