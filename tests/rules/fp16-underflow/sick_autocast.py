"""Autocast to float16 and no GradScaler: most of the gradient of a small loss is zero."""
# allows: loss-plateau, lr-too-low, input-scale-small
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = x[:, :1] * 2e-4
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for epoch in range(3):
    for start in range(0, 640, 32):
        with torch.autocast("cpu", dtype=torch.float16):
            out = model(x[start : start + 32])
        loss = (out.float() * 1e-4 - y[start : start + 32]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # <- fp16-underflow
        optimizer.step()
    print(epoch, loss.item())
