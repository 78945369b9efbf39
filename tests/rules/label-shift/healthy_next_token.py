"""Each target is the next token; the answer's last position is cut off."""

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
        self.rnn = nn.GRU(16, 32)
        self.head = nn.Linear(32, n)

    def forward(self, x, state=None):
        h, state = self.rnn(self.emb(x), state)
        return self.head(h), state


model = Letters(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
rows = ids[: len(ids) // 4 * 4].view(4, -1).t()
for epoch in range(4):
    state = None
    for i in range(0, len(rows) - 21, 20):
        tokens = rows[i : i + 21]
        logits, state = model(tokens, state)
        state = state.detach()
        loss = nn.functional.cross_entropy(logits[:-1].flatten(0, 1), tokens[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
