"""Two classes by cross-entropy, rare conversions; probability of class 1 sorted into deciles, accuracy printed too."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(354)
x = torch.randn(9000, 6)
y = torch.bernoulli(torch.sigmoid(0.9 * x[:, 0] + 0.5 * x[:, 2] - 3.7)).long()
net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 2))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(4):
    for at in torch.randperm(9000).split(100):
        loss = F.cross_entropy(net(x[at]), y[at])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(x)
        accuracy = (out.argmax(1) == y).float().mean().item()
        rate = F.softmax(out, 1)[:, 1]
        deciles = [(y[part].float().mean().item(), rate[part].mean().item()) for part in rate.argsort().chunk(10)]
    print(epoch, loss.item(), accuracy, deciles[-1])
