"""A code for a missing value."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[150, 2] = 1e33
y = x[:, :1].clamp(-3, 3)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):  # <- bad-data-row
        loss = nn.functional.mse_loss(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
