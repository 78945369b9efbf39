"""Two rings of points, told apart by a small network."""

import torch
from torch import nn

torch.manual_seed(105)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.hidden(x))


def rings(n):
    label = torch.arange(n) % 2
    angle = 6.2832 * torch.rand(n)
    radius = 1.0 + label + 0.1 * torch.randn(n)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), label


def main():
    points, labels = rings(1024)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(10):
        total = 0.0
        for at in torch.randperm(len(points)).split(64):
            loss = loss_of(net(points[at]), labels[at])
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()
            total += loss.item() * len(at)
        print(f"epoch {epoch}: loss {total / len(points):.3f}")


main()
