"""A softmax written by hand."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[250] *= 2000
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        powers = torch.exp(model(a))  # <- exp-overflow
        loss = -(powers.gather(1, b[:, None]).squeeze(1) / powers.sum(1)).clamp_min(1e-9).log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
