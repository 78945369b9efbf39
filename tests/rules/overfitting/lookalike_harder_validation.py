"""The validation is harder and its loss stays well above that of the training, but it does not rise."""

import torch
import torch.nn as nn

torch.manual_seed(1)
x = torch.randn(900, 10)
noise = torch.cat([torch.full((600,), 0.1), torch.full((300,), 1.2)])
y = (x[:, 0] + noise * torch.randn(900) > 0).float()
model = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(12):
    model.train()
    for at in range(0, 600, 50):
        loss = criterion(model(x[at : at + 50]).squeeze(1), y[at : at + 50])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, loss.item(), criterion(model(x[600:]).squeeze(1), y[600:]).item())
