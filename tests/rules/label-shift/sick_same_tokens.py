"""Input and target are cut from the text at the same place."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class Letters(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, n)

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])


def batch():
    at = torch.randint(0, len(ids) - 25, (8,)).tolist()
    x = torch.stack([ids[i : i + 24] for i in at])
    y = torch.stack([ids[i : i + 24] for i in at])  # <- label-shift
    return x, y


model = Letters(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    x, y = batch()
    loss = nn.functional.cross_entropy(model(x).reshape(-1, len(letters)), y.reshape(-1))  # <- label-shift
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
