"""Tags of words: as many as there are tokens, and some numbers happen to be the same."""

import torch
from torch import nn

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.rnn = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.head = nn.Linear(32, 4)

    def forward(self, words):
        return self.head(self.rnn(self.emb(words))[0])


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(60):
    words = torch.randint(0, 40, (16, 12))
    tags = words % 4
    loss = nn.functional.cross_entropy(model(words).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
