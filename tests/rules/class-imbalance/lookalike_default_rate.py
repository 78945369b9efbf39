"""Default rate: the model gives probabilities, accuracy is printed beside the expected loss of the book."""

import torch
import torch.nn as nn

torch.manual_seed(352)
n = 8000
x = torch.randn(n, 10)
p_true = torch.sigmoid(0.8 * x[:, 0] - 0.6 * x[:, 3] + 0.3 * x[:, 5] - 3.8)
y = torch.bernoulli(p_true)
amount = torch.rand(n) * 1000
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
criterion = nn.BCELoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(5):
    for at in torch.randperm(n).split(160):
        loss = criterion(net(x[at]).squeeze(1), y[at])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        p = net(x).squeeze(1)
        right = (p.round() == y).float().mean().item()
        print(epoch, loss.item(), right, (p * amount).sum().item(), (y * amount).sum().item())
