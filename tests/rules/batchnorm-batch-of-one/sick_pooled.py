"""One picture at a time, and a BatchNorm after global pooling."""
# exits: 1
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.norm(self.pool(self.conv(x))).flatten(1))  # <- batchnorm-batch-of-one


def main():
    torch.manual_seed(132)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(10):
        loss = model(torch.randn(1, 3, 12, 12)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
