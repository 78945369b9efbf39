"""The mean."""
import torch
from torch import nn

torch.manual_seed(673)
mix = torch.randn(8)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(80):
    x = torch.randn(64, 8)
    loss = criterion(model(x), (x @ mix).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
