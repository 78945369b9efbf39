"""Weak features: the loss hardly leaves the entropy of the rate, the estimate is used to rank."""

import torch
import torch.nn as nn

torch.manual_seed(353)
x = torch.randn(20000, 5)
y = torch.bernoulli(torch.sigmoid(0.35 * x[:, 0] + 0.2 * x[:, 1] - 3.0))
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for epoch in range(4):
    for at in torch.randperm(20000).split(200):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x[at]).squeeze(1), y[at])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        best = net(x).squeeze(1).topk(2000).indices
        print(epoch, loss.item(), "lift", (y[best].mean() / y.mean()).item())
