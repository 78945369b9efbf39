"""The running sum of losses is what backward is called on."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(204)
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for step in range(30):
    x = torch.randn(20, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    total = total + loss  # <- hidden-not-detached
    optimizer.zero_grad()
    total.backward()  # <- hidden-not-detached
    optimizer.step()
