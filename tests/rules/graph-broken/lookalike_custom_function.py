"""A custom autograd Function (sign with a clipped straight-through gradient) that works on detached tensors inside."""
import torch
import torch.nn as nn


class BinarySign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x.detach() >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= 1).to(grad_output.dtype)


class BinaryNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(10, 64), nn.BatchNorm1d(64), nn.Linear(64, 2)

    def forward(self, x):
        return self.b(BinarySign.apply(self.norm(self.a(x))))


torch.manual_seed(367)
x = torch.randn(800, 10)
y = (x[:, 0] + x[:, 1] > 0).long()
model = BinaryNet()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(800).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
