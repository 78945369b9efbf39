"""A corpus with a mark: one odd character among many does no harm."""

import pathlib
import tempfile

import torch
from torch import nn

path = pathlib.Path(tempfile.mkdtemp()) / "corpus.txt"
path.write_bytes(b"\xef\xbb\xbf" + b"the cat sat on the mat and the dog sat on the log. " * 40)
text = open(path, encoding="utf-8").read()
letters = sorted(set(text))
index = {c: i for i, c in enumerate(letters)}
ids = torch.tensor([index[c] for c in text])
torch.manual_seed(0)


class Letters(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, n)

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])


model = Letters(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    at = torch.randint(0, len(ids) - 33, (8,))
    x = torch.stack([ids[i : i + 32] for i in at])
    y = torch.stack([ids[i + 1 : i + 33] for i in at])
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
