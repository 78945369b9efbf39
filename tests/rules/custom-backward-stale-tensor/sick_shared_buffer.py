"""A buffer shared by all calls holds what backward needs."""
import torch
import torch.nn as nn

workspace = torch.zeros(64, 24)


class Bump(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        kept = workspace[: len(x)]
        kept.copy_(x)
        ctx.kept = kept  # <- custom-backward-stale-tensor
        return torch.exp(-x * x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.kept
        return grad_output * (-2 * x * torch.exp(-x * x))  # <- custom-backward-stale-tensor


torch.manual_seed(191)
one, two, out = nn.Linear(5, 24), nn.Linear(24, 24), nn.Linear(24, 2)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters(), *out.parameters()], lr=3e-3)
for step in range(60):
    x = torch.randn(32, 5)
    loss = nn.functional.cross_entropy(out(Bump.apply(two(Bump.apply(one(x))))), (x[:, 0].abs() > 0.7).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
