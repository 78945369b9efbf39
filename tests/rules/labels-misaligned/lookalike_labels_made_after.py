"""Inputs are put in a random order first; the labels are computed from them."""
import torch
import torch.nn as nn

torch.manual_seed(324)
x = torch.rand(1200, 8)
x = x[torch.randperm(1200)]
y = (x[:, 0] + x[:, 1] > 1).float()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    total = 0.0
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows])[:, 0], y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 30:.4f}")
