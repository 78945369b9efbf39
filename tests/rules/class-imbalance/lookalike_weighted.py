"""The rare class is weighted already, though its recall is still small."""
import torch
import torch.nn as nn

torch.manual_seed(346)
y = (torch.rand(4000) < 0.04).float()
x = torch.randn(4000, 8)
x[:, 2] += 1.5 * y
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(24.0))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(4000).split(80):
        loss = criterion(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch} loss {loss.item():.4f} flagged {(model(x) > 0).float().mean().item():.3f}")
