"""The same by logsumexp."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[250] *= 50
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        scores = model(a)
        loss = (torch.logsumexp(scores, 1) - scores.gather(1, b[:, None]).squeeze(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
