"""Pieces of a long signal come in order from a loader that does not shuffle; the model keeps its state."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
time = torch.arange(8 * 600).float().view(8, 600)
signal = torch.sin(time / 7) + 0.5 * torch.sin(time / 19)
x = signal[:, :-1][:, : 24 * 24].reshape(8, 24, 24).transpose(0, 1).reshape(-1, 24, 1)
y = signal[:, 1:][:, : 24 * 24].reshape(8, 24, 24).transpose(0, 1).reshape(-1, 24, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 24, batch_first=True)
        self.head = nn.Linear(24, 1)
        self.hidden = None

    def forward(self, x):
        out, hidden = self.rnn(x, self.hidden)
        self.hidden = hidden.detach()
        return self.head(out)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(4):
    model.hidden = None
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=8):
        loss = nn.functional.mse_loss(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
