"""A square of large activations under autocast."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[200:] *= 400
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        with torch.autocast("cpu", dtype=torch.float16):
            h = model[0](a)
            energy = (h * h).sum(1, keepdim=True)  # <- fp16-overflow
            scores = model[2](torch.relu(h) / energy.clamp_min(1.0))
            loss = nn.functional.cross_entropy(scores, b) + 1e-8 * energy.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
