"""bfloat16 autocast with checkpointing, a custom Function, in-place operators and LBFGS at the end."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
from traces import report


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        return grad * scale, (grad * x).sum().to(scale.dtype).reshape(scale.shape)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(10, 32), nn.Linear(32, 32), nn.Linear(32, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def block(self, x):
        return F.dropout(F.gelu(self.b(x)), 0.1, self.training)

    def forward(self, x):
        h = torch.relu_(self.a(x))
        h = h + checkpoint(self.block, h, use_reentrant=False)
        h = h + checkpoint(self.block, h, use_reentrant=True)
        return Scale.apply(self.c(h), self.scale)


torch.manual_seed(6)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
losses = []
for _step in range(30):
    x = torch.randn(32, 10)
    y = x[:, :2].prod(1, keepdim=True)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())

model.eval()
final = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
x = torch.randn(64, 10)
y = x[:, :2].prod(1, keepdim=True)


def closure():
    final.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss


for _step in range(3):
    losses.append(final.step(closure).item())
report(losses, model=model, optimizer=optimizer, final=final)
