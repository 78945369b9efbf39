"""Gradients live in one flat buffer that is cleared with one call, as fused and sharded trainers do."""
import torch
import torch.nn as nn

torch.manual_seed(29)
model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 1))
params = list(model.parameters())
flat = torch.zeros(sum(p.numel() for p in params))
offset = 0
for p in params:
    p.grad = flat[offset : offset + p.numel()].view_as(p)
    offset += p.numel()
optimizer = torch.optim.SGD(params, lr=0.05)
x = torch.randn(600, 9)
y = x[:, :1] * 2 - x[:, 3:4] + 0.5

for step in range(120):
    flat.zero_()
    rows = torch.randint(0, 600, (50,))
    loss = nn.functional.mse_loss(model(x[rows]), y[rows])
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
