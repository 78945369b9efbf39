"""Dropout called as a function that follows the model's mode, and a model that nobody switches."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(6)
x = torch.randn(1500, 20)
y = (x @ torch.randn(20, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.out = nn.Linear(64, 3)

    def forward(self, x):
        h = torch.relu(self.hidden(x))
        return self.out(F.dropout(h, 0.5, training=self.training))


def accuracy(model):
    with torch.no_grad():
        return (model(x[1200:]).argmax(1) == y[1200:]).float().mean().item()  # <- missing-eval-mode


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for rows in torch.randperm(1200).split(40):
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, accuracy(model))
