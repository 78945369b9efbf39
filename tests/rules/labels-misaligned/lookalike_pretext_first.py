"""Self-supervised first: in which of six orders were the blocks given? It is hardly learned. Then the real classes, by an order a
batch."""

import torch
import torch.nn as nn

torch.manual_seed(5)
n = 800
x = torch.randn(n, 4, 8)
y = ((x.flatten(1) @ torch.randn(32)) > 0).long()
orders = torch.stack([torch.randperm(4) for _ in range(6)])
body = nn.Sequential(nn.Flatten(), nn.Linear(32, 64), nn.ReLU())
pretext = nn.Linear(64, 6)
opt = torch.optim.Adam([*body.parameters(), *pretext.parameters()], lr=1e-3)
for epoch in range(8):
    for at in torch.randperm(n).split(50):
        which = torch.randint(0, 6, (len(at),))
        moved = torch.stack([x[i][orders[w]] for i, w in zip(at, which)])
        loss = nn.functional.cross_entropy(pretext(body(moved)), which)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("pretext", epoch, loss.item())
head = nn.Linear(64, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for epoch in range(8):
    for at in torch.randperm(n).split(50):
        loss = nn.functional.cross_entropy(head(body(x[at])), y[at])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("classes", epoch, loss.item())
