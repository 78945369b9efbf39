"""Autocast to bfloat16 over float32 weights, at a small rate that suits fine-tuning."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
with torch.no_grad():  # as if trained before
    model[0].weight[:, 0] += torch.linspace(-1, 1, 64)
    model[2].weight[1] += torch.linspace(-0.4, 0.4, 64)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(4):
    for start in range(0, 640, 32):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(x[start : start + 32])
        loss = nn.functional.cross_entropy(scores.float(), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
