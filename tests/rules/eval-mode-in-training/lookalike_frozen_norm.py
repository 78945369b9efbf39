"""BatchNorm layers frozen on purpose, the rest in training mode; a perceptual judge in eval mode beside."""
import torch
import torch.nn as nn

torch.manual_seed(114)
model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 6))
judge = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU()).eval().requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
model.train()
for part in model.modules():
    if isinstance(part, nn.BatchNorm1d):
        part.eval()
for _ in range(80):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(judge(model(x)), judge(x.flip(1)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
