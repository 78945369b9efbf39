"""A tensor kept on ctx that nothing overwrites: untidy, but right."""
import torch
import torch.nn as nn


class Softly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.kept = torch.sigmoid(x)
        return ctx.kept

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.kept * (1 - ctx.kept)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 32)
        self.two = nn.Linear(32, 32)
        self.out = nn.Linear(32, 2)

    def forward(self, x):
        x = Softly.apply(self.one(x))
        return self.out(Softly.apply(self.two(x)))


torch.manual_seed(194)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] + x[:, 1] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
