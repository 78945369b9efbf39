"""Gates that are open or shut, a hand-written LSTM cell with a forget bias of 6, and an output that saturates as it becomes sure."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.gates = nn.Linear(inputs + width, 4 * width)
        with torch.no_grad():
            self.gates.bias[width : 2 * width] += 6.0

    def forward(self, x, state):
        h, c = state
        i, f, g, o = self.gates(torch.cat([x, h], 1)).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell(3, 16)
        self.squeeze = nn.Linear(16, 16)
        nn.init.constant_(self.squeeze.bias, 7.0)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], 16)
        for t in range(x.shape[1]):
            h, c = self.cell(x[:, t], (h, c))
        h = h * torch.sigmoid(self.squeeze(h))
        return torch.sigmoid(self.out(h)).squeeze(1)


torch.manual_seed(0)
model = Gated()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
for _ in range(80):
    x = torch.randn(32, 6, 3)
    y = (x[:, :, 0].sum(1) > 0).float()
    loss = nn.functional.binary_cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
