"""A small convolutional net with batch norm and ReLU modules."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 3),
)  # fmt: skip
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
templates = torch.randn(3, 1, 8, 8)
for _ in range(60):
    y = torch.randint(0, 3, (32,))
    loss = nn.functional.cross_entropy(net(templates[y] + 0.3 * torch.randn(32, 1, 8, 8)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
