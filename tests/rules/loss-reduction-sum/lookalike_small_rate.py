"""A sum with a rate chosen for it."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(674)
mix = torch.randn(8)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=5e-4)
for step in range(80):
    x = torch.randn(64, 8)
    loss = F.mse_loss(model(x), (x @ mix).unsqueeze(1), reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
