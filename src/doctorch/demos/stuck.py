"""Two interleaved rings, told apart by a small network."""

import torch
from torch import nn

torch.manual_seed(0)


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
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(10):
        for at in range(0, len(points), 64):
            optimizer.zero_grad()
            scores = net(points[at : at + 64])
            predicted = scores.argmax(dim=1)
            one_hot = nn.functional.one_hot(predicted, 2).float()
            loss = loss_of(one_hot.requires_grad_() * 0.0, labels[at : at + 64])
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.3f}")


main()
