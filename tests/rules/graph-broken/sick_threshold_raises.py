"""Dice on a thresholded mask: nothing to differentiate, backward raises at the first step."""
# exits: 1
import torch
import torch.nn as nn


def dice(mask, target, eps=1e-6):
    overlap = (mask * target).sum((1, 2, 3))
    return 1 - ((2 * overlap + eps) / (mask.sum((1, 2, 3)) + target.sum((1, 2, 3)) + eps)).mean()


torch.manual_seed(313)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
images = torch.randn(64, 1, 16, 16)
masks = (images > 0.5).float()
for epoch in range(3):
    for i in range(0, 64, 8):
        optimizer.zero_grad()
        mask = (torch.sigmoid(net(images[i : i + 8])) > 0.5).float()  # <- graph-broken
        loss = dice(mask, masks[i : i + 8])  # <- graph-broken
        loss.backward()  # <- graph-broken
        optimizer.step()
    print(f"epoch {epoch} dice loss {loss.item():.4f}")
