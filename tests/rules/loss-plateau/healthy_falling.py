"""A loss that starts at ln 8 and falls."""
import torch
import torch.nn as nn

torch.manual_seed(1613)
y = torch.randint(0, 8, (1600,))
x = torch.randn(8, 16)[y] + 0.5 * torch.randn(1600, 16)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    for rows in torch.randperm(1600).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
