"""Gradients that are meant to differ: a spike with a surrogate, a clamp passed straight through, learned rounding, weights of one bit."""
import torch
import torch.nn as nn


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + 5 * x.abs()) ** 2


class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(0, 1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class Learned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return (x / scale).round().clamp(-8, 7) * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        q = x / scale
        inside = (q > -8) & (q < 7)
        return grad_output * inside, (grad_output * torch.where(inside, q.round() - q, q.clamp(-8, 7))).sum()


class OneBit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight):
        return weight.sign() * weight.abs().mean(1, keepdim=True)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three, self.out = nn.Linear(8, 32), nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(64, 3)
        self.scale = nn.Parameter(torch.tensor(0.2))

    def forward(self, x):
        first = self.one(x)
        h = Learned.apply(first, self.scale) + Clamp.apply(first)
        h = torch.relu(nn.functional.linear(h, OneBit.apply(self.two.weight), self.two.bias))
        return self.out(torch.cat([Spike.apply(self.three(h)), h], 1))


torch.manual_seed(188)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(100):
    x = torch.randn(64, 8)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
