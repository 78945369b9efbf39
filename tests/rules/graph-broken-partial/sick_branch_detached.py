"""One of two branches is detached where they meet."""
import torch
import torch.nn as nn


class TwoBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(5, 16), nn.Tanh())
        self.right = nn.Sequential(nn.Linear(7, 16), nn.Tanh())
        self.head = nn.Linear(32, 1)

    def forward(self, a, b):
        right = self.right(b).detach()  # <- graph-broken-partial
        return self.head(torch.cat([self.left(a), right], 1))


def main():
    torch.manual_seed(152)
    model = TwoBranches()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(80):
        a, b = torch.randn(32, 5), torch.randn(32, 7)
        loss = nn.functional.mse_loss(model(a, b), a[:, :1] + b[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
