"""Stopped in the middle of a long warm-up: the rate is still a hundredth of what it will be."""
import torch
import torch.nn as nn

torch.manual_seed(1)
x = torch.randn(800, 20)
y = (x[:, :5].sum(1) > 0).long()
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 50_000))
for step in range(160):
    rows = torch.randint(0, 800, (32,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
    loss.backward()
    optimizer.step()
    warm_up.step()
print(f"loss {loss.item():.4f}")
