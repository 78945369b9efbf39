"""A size of zero by a power of one half, in a penalty."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[200] = 0
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        size = ((a * model(a).mean()) ** 2).sum(1) ** 0.5  # <- sqrt-zero-grad
        loss = nn.functional.cross_entropy(model(a), b) + 0.1 * (size * size.detach()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
