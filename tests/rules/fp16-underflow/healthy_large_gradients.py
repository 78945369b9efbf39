"""Autocast to float16 without a scaler, where the gradients are large enough."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for start in range(0, 640, 32):
        with torch.autocast("cpu", dtype=torch.float16):
            scores = model(x[start : start + 32])
        loss = nn.functional.cross_entropy(scores.float(), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
