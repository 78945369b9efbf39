"""Custom autograd functions: state on the class, random numbers, two styles, a count of calls that would show any call too many."""

import hashlib
import random

import torch
import torch.nn as nn


class Noisy(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        Noisy.calls += 1
        mask = (torch.rand_like(x) > 0.2) * (1 + 0.01 * random.random())
        ctx.save_for_backward(x, mask)
        return torch.sin(x) * mask

    @staticmethod
    def backward(ctx, grad_output):
        x, mask = ctx.saved_tensors
        Noisy.calls += 1000
        return grad_output * torch.cos(x) * mask


class Half(torch.autograd.Function):
    kept = None

    @staticmethod
    def forward(x, scale):
        return x * scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        Half.kept = output
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return grad_output * scale, 0.5 * (grad_output * x).sum(0)


torch.manual_seed(8)
random.seed(9)
one, two, out = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 2)
scale = nn.Parameter(torch.ones(16))
parameters = [*one.parameters(), *two.parameters(), *out.parameters(), scale]
optimizer = torch.optim.Adam(parameters, lr=2e-3)
for step in range(30):
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(out(Noisy.apply(two(Half.apply(Noisy.apply(one(x)), scale)))), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, repr(loss.item()), Noisy.calls, Half.kept.sum().item())
digest = hashlib.sha256()
for value in parameters:
    digest.update(value.detach().numpy().tobytes())
print(digest.hexdigest(), torch.rand(1).item(), random.random())
