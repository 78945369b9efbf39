"""A next-word model on a layer that reads both ways, in time-major order."""

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class WordModel(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.LSTM(16, 32, bidirectional=True)  # <- future-leak
        self.head = nn.Linear(64, n)

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])


def train(model, rows, optimizer):
    for epoch in range(3):
        for i in range(0, len(rows) - 21, 20):
            x, y = rows[i : i + 20], rows[i + 1 : i + 21]
            logits = model(x)
            loss = nn.functional.cross_entropy(logits.view(-1, len(letters)), y.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


model = WordModel(len(letters))
train(model, ids[: len(ids) // 4 * 4].view(4, -1).t(), torch.optim.SGD(model.parameters(), lr=1.0))
