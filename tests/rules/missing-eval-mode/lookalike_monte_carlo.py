"""Dropout that is asked for in eval mode, for the spread of several answers; another follows the mode."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(7)
x = torch.randn(1500, 20)
y = (x @ torch.randn(20, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(20, 64)
        self.second = nn.Linear(64, 64)
        self.out = nn.Linear(64, 3)

    def forward(self, x):
        h = F.dropout(torch.relu(self.first(x)), 0.2, training=self.training)
        h = F.dropout(torch.relu(self.second(h)), 0.2, training=True)
        return self.out(h)


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
        answers = torch.stack([model(x[1200:]).softmax(-1) for _ in range(8)])
    print(epoch, (answers.mean(0).argmax(1) == y[1200:]).float().mean().item(), answers.std(0).mean().item())
