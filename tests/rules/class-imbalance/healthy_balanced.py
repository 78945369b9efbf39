"""Two classes of equal size."""
import torch
import torch.nn as nn

torch.manual_seed(343)
y = (torch.rand(3000) < 0.5).float()
x = torch.randn(3000, 6)
x[:, 1] += 2 * y
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(4):
    for rows in torch.randperm(3000).split(60):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
