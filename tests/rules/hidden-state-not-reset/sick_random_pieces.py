"""A character model reads random pieces of the text, with the state of the pieces before."""

import torch
import torch.nn as nn

torch.manual_seed(0)
text = (torch.arange(6000) * 7 % 23 + torch.randint(0, 4, (6000,))) % 26


def pieces(n, length):
    starts = torch.randint(0, len(text) - length - 1, (n,)).tolist()
    return torch.stack([text[s : s + length] for s in starts]), torch.stack([text[s + 1 : s + length + 1] for s in starts])


class CharModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(26, 24)
        self.rnn = nn.LSTM(24, 48, batch_first=True)
        self.out = nn.Linear(48, 26)

    def forward(self, x, state):
        h, state = self.rnn(self.emb(x), state)
        return self.out(h), state


model = CharModel()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
state = None
for step in range(80):
    x, y = pieces(16, 20)
    logits, state = model(x, state)  # <- hidden-state-not-reset
    state = tuple(part.detach() for part in state)
    loss = criterion(logits.reshape(-1, 26), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
