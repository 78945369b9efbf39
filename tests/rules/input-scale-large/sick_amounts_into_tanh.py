"""Areas, years and counts go into a first layer of tanh as they are: some of it learns, most of it is flat."""

import torch
from torch import nn

torch.manual_seed(19)
n = 1500
area = torch.rand(n, 1) * 4000 + 300
rooms = torch.randint(1, 8, (n, 1)).float()
year = torch.randint(1900, 2020, (n, 1)).float()
features = torch.cat([area, rooms, year], 1)  # <- input-scale-large
price = area / 4000 + rooms / 8 + (year - 1900) / 120

model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(4):
    for rows in torch.randperm(n).split(30):
        loss = nn.functional.mse_loss(model(features[rows]), price[rows])  # <- input-scale-large
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
