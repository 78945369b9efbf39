"""A linear layer without bias whose backward still returns a gradient for one; in a module, with a training function."""
# exits: 1
import torch
import torch.nn as nn


class Project(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, grad_output):  # <- custom-backward-wrong-count
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), x.t() @ grad_output, grad_output.sum(0)  # <- custom-backward-wrong-count


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 3) / 2)

    def forward(self, x):
        return Project.apply(x, self.weight)


def train(steps):
    model = Layer()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(212)
train(10)
