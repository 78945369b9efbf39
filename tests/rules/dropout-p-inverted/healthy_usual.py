"""Dropout of 0.5 and 0.2."""
import torch
import torch.nn as nn

torch.manual_seed(143)
centres = torch.randn(4, 12)
model = nn.Sequential(nn.Dropout(0.2), nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    y = torch.randint(0, 4, (32,))
    loss = nn.functional.cross_entropy(model(centres[y] + 0.5 * torch.randn(32, 12)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
