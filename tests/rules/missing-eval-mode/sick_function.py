"""Dropout called as a function, which drops in eval mode too unless it is told."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(5)
x = torch.randn(1500, 20)
y = (x @ torch.randn(20, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.out = nn.Linear(64, 3)

    def forward(self, x):
        h = torch.relu(self.hidden(x))
        return self.out(F.dropout(h, 0.5))  # <- missing-eval-mode


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    model.train()
    for rows in torch.randperm(1200).split(40):
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, (model(x[1200:]).argmax(1) == y[1200:]).float().mean().item())
