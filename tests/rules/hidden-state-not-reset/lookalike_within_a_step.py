"""The state goes from piece to piece of the same sequences within a step; attention weights are kept to look at."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(320, 24, 3)
y = (x[:, :, 0].sum(1) > 0).long()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 16)
        self.score = nn.Linear(16, 1)
        self.head = nn.Linear(16, 2)
        self.weights = None

    def forward(self, x, hidden):
        states = []
        for t in range(x.shape[1]):
            hidden = self.cell(x[:, t], hidden)
            states.append(hidden)
        states = torch.stack(states, 1)
        self.weights = self.score(states).softmax(1).detach()
        return self.head((states * self.score(states).softmax(1)).sum(1)), hidden


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        hidden = torch.zeros(len(xb), 16)
        for piece in xb.split(8, dim=1):
            logits, hidden = model(piece, hidden)
        loss = nn.functional.cross_entropy(logits, yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
