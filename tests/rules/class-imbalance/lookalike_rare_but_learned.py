"""Five in a hundred, and they are found: first none, then most of them."""
import torch
import torch.nn as nn

torch.manual_seed(344)
y = (torch.rand(4000) < 0.05).float()
x = torch.randn(4000, 8)
x[:, 2] += 3 * y
x[:, 4] -= 3 * y
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    for rows in torch.randperm(4000).split(80):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        flagged = (model(x).squeeze(1) > 0).float()
    print(f"epoch {epoch} loss {loss.item():.4f} recall {(flagged * y).sum().item() / y.sum().item():.3f}")
