"""Ten ReLU layers with He weights, which learn."""

import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(12, 48), nn.ReLU()]
for _ in range(8):
    layers += [nn.Linear(48, 48), nn.ReLU()]
net = nn.Sequential(*layers, nn.Linear(48, 4))
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
centres = torch.randn(4, 12)
for _ in range(100):
    y = torch.randint(0, 4, (40,))
    loss = nn.functional.cross_entropy(net(centres[y] + 0.3 * torch.randn(40, 12)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
