"""The gradient of the weight is transposed: backward refuses it."""
# exits: 1
import torch
import torch.nn as nn


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), grad_output.t() @ x, grad_output.sum(0)  # <- custom-backward-wrong-formula


torch.manual_seed(190)
weight, bias = nn.Parameter(torch.randn(7, 5) / 3), nn.Parameter(torch.zeros(5))
optimizer = torch.optim.SGD([weight, bias], lr=0.1)
for step in range(30):
    x = torch.randn(32, 7)
    loss = nn.functional.cross_entropy(Affine.apply(x, weight, bias), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
