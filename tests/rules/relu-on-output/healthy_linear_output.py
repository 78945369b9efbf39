"""No activation after the last layer of a regression."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(644)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
mix = torch.randn(6, 2)
for step in range(80):
    x = torch.randn(32, 6)
    loss = F.smooth_l1_loss(model(x), x @ mix)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
