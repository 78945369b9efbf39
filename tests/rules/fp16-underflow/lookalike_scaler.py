"""A small loss in float16 that a GradScaler scales."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = x[:, :1] * 2e-4
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
for epoch in range(4):
    for start in range(0, 640, 32):
        with torch.autocast("cpu", dtype=torch.float16):
            out = model(x[start : start + 32])
        loss = (out.float() * 1e-4 - y[start : start + 32]).pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(epoch, loss.item())
