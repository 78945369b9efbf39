"""A regression of which a tenth can be explained, and is."""
import torch
import torch.nn as nn

torch.manual_seed(1672)
x = torch.randn(3000, 4)
y = 0.4 * x[:, :1] + torch.randn(3000, 1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    total = 0.0
    for rows in torch.randperm(3000).split(100):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 30:.4f}")
