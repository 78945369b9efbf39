"""Each step learns from two batches: labelled samples for the head, other samples for an autoencoder beside it."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.ReLU())
        self.head = nn.Linear(32, 3)
        self.back = nn.Linear(32, 12)

    def forward(self, x, rebuild=False):
        h = self.body(x)
        return self.back(h) if rebuild else self.head(h)


torch.manual_seed(44)
x = torch.randn(600, 12)
y = (x @ torch.randn(12, 3)).argmax(1)
y = torch.where(torch.rand(600) < 0.5, torch.randint(0, 3, (600,)), y)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-4)
for epoch in range(10):
    labelled, unlabelled = torch.randperm(600), torch.randperm(600)
    for i in range(0, 600, 40):
        some, others = labelled[i : i + 40], unlabelled[i : i + 40]
        known = nn.functional.cross_entropy(net(x[some]), y[some])
        rebuilt = nn.functional.mse_loss(net(x[others], rebuild=True), x[others])
        loss = known + rebuilt
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{epoch}: {known.item():.3f} {rebuilt.item():.3f}")
