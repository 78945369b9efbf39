"""One batch with a wild target throws the loss up once; the rate is fine."""
import torch
import torch.nn as nn

torch.manual_seed(4)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(150):
    x = torch.randn(64, 6)
    y = x[:, :1] - x[:, 1:2]
    if step == 10:
        y[0] = 60.0
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
