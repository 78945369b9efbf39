"""The logarithm of a softmax that has underflowed."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[300] *= 900
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        p = torch.softmax(4 * model(a), 1)
        loss = -torch.log(p).gather(1, b[:, None]).mean()  # <- log-zero
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
