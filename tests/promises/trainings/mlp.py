"""MLP: momentum, weight decay, clipping, a schedule, a shuffled loader, validation."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from traces import report

torch.manual_seed(1)
x = torch.randn(600, 12)
y = x[:, :4].argmax(1)
train = DataLoader(TensorDataset(x[:500], y[:500]), batch_size=25, shuffle=True)
model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=80)
criterion = nn.CrossEntropyLoss()
losses = []
for _epoch in range(4):
    model.train()
    for xb, yb in train:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        losses.append(criterion(model(x[500:]), y[500:]).item())
report(losses, model=model, optimizer=optimizer, scheduler=scheduler)
