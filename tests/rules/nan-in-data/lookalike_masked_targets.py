"""NaN in the targets that a mask leaves out of the loss."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
y = torch.where(torch.rand(400) < 0.3, torch.tensor(float('nan')), x[:, 0])
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        known = ~torch.isnan(b)
        loss = nn.functional.mse_loss(model(a)[known, 0], b[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
