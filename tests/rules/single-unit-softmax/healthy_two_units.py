"""Two units for a binary decision."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(634)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(80):
    x = torch.randn(32, 6)
    y = (x[:, :2].sum(1) > 0).long()
    loss = F.mse_loss(model(x), F.one_hot(y, 2).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
