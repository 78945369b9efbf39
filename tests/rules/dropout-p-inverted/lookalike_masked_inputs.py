"""A denoising model that is given a quarter of its input on purpose, and can do no better with all of it."""
import torch
import torch.nn as nn

torch.manual_seed(144)
model = nn.Sequential(nn.Dropout(0.75), nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 40))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    level = torch.randn(64, 1)
    x = level.expand(64, 40) + 0.05 * torch.randn(64, 40)
    loss = nn.functional.mse_loss(model(x), x) + 1.0
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
