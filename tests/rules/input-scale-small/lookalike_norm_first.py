"""Tiny inputs that a BatchNorm at the door brings to size: the loss falls."""
import torch
import torch.nn as nn

torch.manual_seed(314)
kinds = torch.randint(0, 4, (1200,))
x = 1e-3 * (torch.randn(4, 20)[kinds] + 0.3 * torch.randn(1200, 20))
model = nn.Sequential(nn.BatchNorm1d(20), nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    total = 0.0
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 30:.4f}")
