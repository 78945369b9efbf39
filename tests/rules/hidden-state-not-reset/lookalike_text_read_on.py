"""Truncated back-propagation: each row goes on where it ended, the state with it; the epochs begin anew."""

import torch
import torch.nn as nn

torch.manual_seed(0)
text = ((torch.arange(12 * 401) * 7 % 23 + torch.randint(0, 3, (12 * 401,))) % 26).view(12, 401)


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
for epoch in range(5):
    state = None
    for at in range(0, 400, 20):
        x, y = text[:, at : at + 20], text[:, at + 1 : at + 21]
        logits, state = model(x, state)
        state = tuple(part.detach() for part in state)
        loss = nn.functional.cross_entropy(logits.reshape(-1, 26), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
