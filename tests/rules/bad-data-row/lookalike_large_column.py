"""One column of large amounts, the same for all rows."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[:, 5] = 1000 + 10 * x[:, 5]
x = (x - x.mean(0)) / x.std(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
