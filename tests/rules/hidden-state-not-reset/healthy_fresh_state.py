"""Shuffled sequences, a fresh state for each batch."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(480, 12, 3)
y = (x[:, :, 0].sum(1) > 0).long()
rnn, head = nn.GRU(3, 24, batch_first=True), nn.Linear(24, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-2)
for epoch in range(6):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        hidden = torch.zeros(1, len(xb), 24)
        out, hidden = rnn(xb, hidden)
        loss = nn.functional.cross_entropy(head(out[:, -1]), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
