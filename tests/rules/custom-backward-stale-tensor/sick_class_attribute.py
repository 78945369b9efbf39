"""What backward needs is kept on the class."""
import torch
import torch.nn as nn


class Leaky(torch.autograd.Function):
    last = None

    @staticmethod
    def forward(ctx, x):
        Leaky.last = x
        return torch.where(x > 0, x, 0.1 * x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.where(Leaky.last > 0, 1.0, 0.1)  # <- custom-backward-stale-tensor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(3))
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        for layer in self.layers:
            x = Leaky.apply(layer(x))
        return self.head(x)


def main():
    torch.manual_seed(192)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(60):
        x = torch.randn(32, 16)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
