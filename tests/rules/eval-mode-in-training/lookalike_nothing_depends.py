"""A model without dropout or BatchNorm: its mode does not matter."""
import torch
import torch.nn as nn

torch.manual_seed(115)
model = nn.Sequential(nn.Linear(6, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 2)).eval()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(80):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
