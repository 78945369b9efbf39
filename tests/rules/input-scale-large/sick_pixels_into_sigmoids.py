"""Pixels as they are into a small convolutional net of sigmoids."""

import torch
from torch import nn

torch.manual_seed(10)
pixels = torch.randint(0, 256, (800, 1, 14, 14)).float()  # <- input-scale-large
label = torch.randint(0, 4, (800,))
for k in range(4):
    pixels[label == k, 0, 3 * k : 3 * k + 3] = 255

model = nn.Sequential(
    nn.Conv2d(1, 8, 3),
    nn.Sigmoid(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(8 * 36, 64),
    nn.Sigmoid(),
    nn.Linear(64, 4),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(5):
    for rows in torch.randperm(800).split(32):
        loss = nn.functional.cross_entropy(model(pixels[rows]), label[rows])  # <- input-scale-large
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
