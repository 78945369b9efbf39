"""The gradient for the weight is right, that for the input is nothing."""
# allows: loss-plateau, vanishing-gradients
import torch
import torch.nn as nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return torch.zeros_like(x), x.t() @ grad_output  # <- custom-backward-wrong-formula


class Layer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(i, o) / i**0.5)

    def forward(self, x):
        return Product.apply(x, self.weight)


torch.manual_seed(183)
model = nn.Sequential(Layer(7, 24), nn.ReLU(), Layer(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(32, 7)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
