"""Windows over a signal that repeats: the parts share no window, but windows look alike."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(80)
signal = torch.randn(40).repeat(30)
windows = signal.unfold(0, 13, 1)
x, y = windows[:, :12], windows[:, 12:]
train, valid = TensorDataset(x[:900], y[:900]), TensorDataset(x[912:], y[912:])
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    for a, b in DataLoader(train, batch_size=50, shuffle=True):
        loss = nn.functional.mse_loss(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held = sum(nn.functional.mse_loss(net(a), b).item() for a, b in DataLoader(valid, batch_size=50))
    print(epoch, loss.item(), held)
