"""Pure bfloat16 where only the first steps of a warm-up are too small to change anything."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 400 if step < 6 else (step + 1) / 24))
for epoch in range(5):
    for start in range(0, 640, 32):
        loss = nn.functional.cross_entropy(model(x[start : start + 32].bfloat16()).float(), y[start : start + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(epoch, loss.item())
