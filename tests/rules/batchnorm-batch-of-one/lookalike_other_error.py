"""Another ValueError in the forward."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(134)
model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(20):
    x = torch.randn(16, 10)
    if step == 12:
        raise ValueError("this sensor sends more than 1 value per channel")
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
