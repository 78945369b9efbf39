"""A checkpoint is written and read back, with best weights kept as copies."""
import copy
import io

import torch
import torch.nn as nn

torch.manual_seed(34)
x = torch.randn(500, 5)
y = x[:, :1] * x[:, 1:2]
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best, weights = float("inf"), None
for epoch in range(6):
    for rows in torch.randperm(500).split(25):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    if loss.item() < best:
        best, weights = loss.item(), copy.deepcopy(model.state_dict())
    if epoch == 3:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        model.load_state_dict(torch.load(file))
model.load_state_dict(weights)
print(best)
