"""The forward takes a number besides; the backward returns nothing for it."""
# exits: 1
import torch
import torch.nn as nn


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad_output):  # <- custom-backward-wrong-count
        (x,) = ctx.saved_tensors
        return grad_output * torch.where(x > 0, 1.0, ctx.slope)  # <- custom-backward-wrong-count


torch.manual_seed(211)
one, two = nn.Linear(5, 16), nn.Linear(16, 2)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-3)
for step in range(20):
    x = torch.randn(32, 5)
    loss = nn.functional.cross_entropy(two(Leaky.apply(one(x), 0.1)), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
