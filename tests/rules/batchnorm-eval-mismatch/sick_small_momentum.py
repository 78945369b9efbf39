"""A momentum of 0.999, as another framework counts it, turned into one of 0.001; a few hundred steps on data far from mean 0."""
# allows: input-scale-large

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(640, 10) * 3 + 6
y = (x[:, 0] + x[:, 1] > 12).long()
model = nn.Sequential(
    nn.BatchNorm1d(10, momentum=0.001),  # <- batchnorm-eval-mismatch
    nn.Linear(10, 32),
    nn.BatchNorm1d(32, momentum=0.001),  # <- batchnorm-eval-mismatch
    nn.ReLU(),
    nn.Linear(32, 2),
)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, loss.item(), criterion(model(x), y).item())
