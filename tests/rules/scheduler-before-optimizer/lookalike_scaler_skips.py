"""The first steps are skipped by the GradScaler, so the scheduler is ahead though it stands behind."""
import torch
import torch.nn as nn

torch.manual_seed(44)
x = torch.randn(640, 8)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
for epoch in range(5):
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        scaler.scale(loss * 4).backward()
        scaler.step(optimizer)
        scaler.update(2.0**12)
        scheduler.step()
    print(epoch, loss.item())
