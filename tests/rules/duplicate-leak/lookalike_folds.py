"""Five folds, one after the other: each trains on rows that another fold validated on, with weights that begin anew."""

import torch
import torch.nn as nn

torch.manual_seed(77)
x = torch.randn(500, 12)
y = x[:, :3].sum(1, keepdim=True) + 0.1 * torch.randn(500, 1)
folds = torch.randperm(500).chunk(5)
net = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 1))
for k, held_out in enumerate(folds):
    rest = torch.cat([fold for j, fold in enumerate(folds) if j != k])
    for layer in net:
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(8):
        for at in rest[torch.randperm(400)].split(40):
            loss = nn.functional.mse_loss(net(x[at]), y[at])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            held = nn.functional.mse_loss(net(x[held_out]), y[held_out])
    print(f"fold {k}: {loss.item():.4f} {held.item():.4f}")
