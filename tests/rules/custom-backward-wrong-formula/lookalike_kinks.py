"""Right functions that are hard to try: a kink on inputs that are exactly zero, in place, several outputs, random numbers, checkpoints."""
import torch
import torch.nn as nn
from torch.autograd.function import once_differentiable


class Magnitude(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.sign()


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


class Largest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, keep):
        values, places = x.max(1)
        ctx.save_for_backward(places)
        ctx.shape = x.shape
        ctx.mark_non_differentiable(places)
        return values, places, x * keep

    @staticmethod
    def backward(ctx, grad_values, _, grad_kept):
        (places,) = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=grad_values.dtype)
        return grad.scatter_(1, places[:, None], grad_values[:, None]) + 0.5 * grad_kept, None


class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        mask = (torch.rand_like(x) > p) / (1 - p)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0], None


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layer, x):
        ctx.layer = layer
        ctx.save_for_backward(x)
        with torch.no_grad():
            return layer(x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.layer(x)
        torch.autograd.backward(out, grad_output)
        return None, x.grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three, self.out = nn.Linear(8, 32), nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(33, 3)

    def forward(self, x):
        x = Magnitude.apply(torch.relu(self.one(x)))
        x = Double.apply(self.two(x))
        x = Drop.apply(torch.tanh(Again.apply(self.three, x)), 0.1)
        values, _, kept = Largest.apply(x, 0.5)
        return self.out(torch.cat([values[:, None], kept], 1))


torch.manual_seed(187)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(80):
    x = torch.randn(64, 8)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
