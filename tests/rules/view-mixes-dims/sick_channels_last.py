"""Pictures stored with the channels last are reshaped, not permuted, for a convolution; a trainer class."""

import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=lr)

    def step(self, images, labels):
        images = images.reshape(-1, 3, 12, 12)  # <- view-mixes-dims
        loss = F.cross_entropy(self.net(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(1)
    images = torch.rand(320, 12, 12, 3)
    labels = (images[..., 0].mean((1, 2)) > 0.5).long()
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    trainer = Trainer(net, 1e-2)
    for epoch in range(3):
        order = torch.randperm(320)
        for batch in order.split(16):
            loss = trainer.step(images[batch], labels[batch])
        print(epoch, loss)


if __name__ == "__main__":
    main()
