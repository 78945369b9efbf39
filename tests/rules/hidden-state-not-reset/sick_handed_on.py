"""The loop hands the state on, although the samples are taken in random order; a function."""

import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, x, hidden=None):
        out, hidden = self.rnn(x, hidden)
        return self.head(out[:, -1]), hidden


def train(model, x, y, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        hidden = None
        for start in range(0, len(x), 32):
            rows = order[start : start + 32]
            if hidden is not None:
                hidden = hidden.detach()
            prediction, hidden = model(x[rows], hidden)  # <- hidden-state-not-reset
            loss = (prediction.squeeze(1) - y[rows]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(0)
data = torch.randn(320, 12, 2)
train(Regressor(), data, data[:, :, 0].mean(1), 5)
