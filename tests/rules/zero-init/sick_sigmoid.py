"""All weights zero before sigmoids: gradients arrive, but every unit is a copy of the others."""
# accepts: constant-init
# allows: loss-plateau, vanishing-gradients

import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 20), nn.Sigmoid(), nn.Linear(20, 20), nn.Sigmoid(), nn.Linear(20, 4))
for name, parameter in net.named_parameters():
    if name.endswith("weight"):
        nn.init.zeros_(parameter)  # <- zero-init, constant-init
    else:
        nn.init.zeros_(parameter)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(120):
    x = torch.randn(64, 4)
    y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
