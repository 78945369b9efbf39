"""Both at every batch, in the wrong order."""
import torch
import torch.nn as nn

torch.manual_seed(41)
x = torch.randn(640, 8)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=101)
for epoch in range(5):
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        scheduler.step()  # <- scheduler-before-optimizer
        optimizer.step()  # <- scheduler-before-optimizer
    print(epoch, loss.item())
