"""float64 targets from numpy."""
# exits: 1
import numpy as np
import torch
from torch import nn

torch.manual_seed(694)
rng = np.random.default_rng(694)
x = rng.normal(size=(120, 5))
y = torch.from_numpy((x[:, :1] > 0).astype(np.float64))
inputs = torch.from_numpy(x).float()
model = nn.Sequential(nn.Linear(5, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.BCELoss()
for i in range(0, 120, 20):
    loss = criterion(model(inputs[i : i + 20]), y[i : i + 20])  # <- target-dtype
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
