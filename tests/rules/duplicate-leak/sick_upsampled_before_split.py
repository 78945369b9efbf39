"""Rare classes are drawn several times, then the rows are split."""

import torch
import torch.nn as nn

torch.manual_seed(71)
x = torch.randn(900, 8)
y = (x[:, 0] + 0.5 * torch.randn(900) > 1.2).long()
rare = (y == 1).nonzero().squeeze(1)
more = torch.cat([torch.arange(900), rare.repeat(5)])
x, y = x[more], y[more]
order = torch.randperm(len(x))
cut = int(0.8 * len(x))
x_train, y_train = x[order[:cut]], y[order[:cut]]
x_valid, y_valid = x[order[cut:]], y[order[cut:]]  # <- duplicate-leak

net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    net.train()
    for at in torch.randperm(cut).split(64):
        loss = nn.functional.cross_entropy(net(x_train[at]), y_train[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        value = nn.functional.cross_entropy(net(x_valid), y_valid)  # <- duplicate-leak
    print(f"{epoch} train {loss.item():.3f} valid {value.item():.3f}")
