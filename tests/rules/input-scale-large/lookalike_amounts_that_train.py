"""Features of size fifty at a rate that suits them: the loss falls."""
import torch
import torch.nn as nn

torch.manual_seed(305)
x = 50 + 15 * torch.randn(1000, 6)
y = ((x[:, 0] - x[:, 1]) > 0).float()
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(12):
    total = 0.0
    for rows in torch.randperm(1000).split(50):
        loss = criterion(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
