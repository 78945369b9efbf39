"""Enough samples: both losses fall."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(1500, 10)
y = (x[:, 0] + 0.3 * torch.randn(1500) > 0).long()
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    for at in range(0, 1000, 50):
        loss = criterion(model(x[at : at + 50]), y[at : at + 50])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, loss.item(), criterion(model(x[1000:]), y[1000:]).item())
