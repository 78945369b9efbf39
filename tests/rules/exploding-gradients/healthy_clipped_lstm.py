"""An LSTM over long sequences, clipped."""

import torch
from torch import nn


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1]).squeeze(1)


torch.manual_seed(0)
model = Sum()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(60):
    x = torch.rand(32, 40, 2)
    loss = nn.functional.mse_loss(model(x), x[:, :, 0].mean(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
