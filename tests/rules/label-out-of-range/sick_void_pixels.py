"""Segmentation masks carry 255 for 'void', which the functional loss is not told to ignore."""
# exits: 1
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_scene(n):
    images = torch.randn(n, 3, 10, 10)
    masks = images.argmax(1)
    masks[:, :, 0] = 255  # <- label-out-of-range
    return images, masks


def train(net, images, masks, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(epochs):
        for i in range(0, len(images), 10):
            scores = net(images[i : i + 10])
            loss = F.cross_entropy(scores, masks[i : i + 10])  # <- label-out-of-range
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(803)
    images, masks = make_scene(80)
    train(nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1)), images, masks, 3)
