"""Hand-written weights begin as zeros; a ReLU between them lets nothing through."""
# allows: dead-relu, loss-plateau

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.zeros(5, 32))  # <- zero-init
        self.b1 = nn.Parameter(torch.zeros(32))
        self.w2 = nn.Parameter(torch.zeros(32, 1))  # <- zero-init
        self.b2 = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        hidden = torch.relu(x @ self.w1 + self.b1)
        return hidden @ self.w2 + self.b2


def main():
    torch.manual_seed(0)
    model = Regressor()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(60):
        x = torch.randn(40, 5)
        target = x[:, :1].abs() + 0.5 * x[:, 1:2]
        loss = nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
