"""Gates are turned into Python numbers on their way into the product."""

import torch
from torch import nn

torch.manual_seed(15)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
        self.gate = nn.Linear(10, 8)

    def forward(self, x):
        open_by = torch.sigmoid(self.gate(x)).tolist()  # <- graph-broken-partial
        return self.encode(x) * torch.tensor(open_by)


x = torch.randn(640, 10)
y = x[:, :8] * torch.sigmoid(x[:, 1:9])
model = Gated()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for rows, wanted in zip(x.split(32), y.split(32)):
        loss = nn.functional.mse_loss(model(rows), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
