"""Rows without labels are looked at each round; those that the model is sure of are trained on with its own answer."""

import torch
import torch.nn as nn

torch.manual_seed(83)
x = torch.randn(1000, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
labelled, others, test = torch.arange(150), torch.arange(150, 800), torch.arange(800, 1000)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for turn in range(6):
    net.eval()
    with torch.no_grad():
        sure, answer = net(x[others]).softmax(1).max(1)
    keep = sure > 0.5
    rows = torch.cat([x[labelled], x[others][keep]])
    kinds = torch.cat([y[labelled], answer[keep]])
    net.train()
    for at in torch.randperm(len(rows)).split(32):
        loss = nn.functional.cross_entropy(net(rows[at]), kinds[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        accuracy = (net(x[test]).argmax(1) == y[test]).float().mean()
    print(turn, len(rows), loss.item(), accuracy.item())
