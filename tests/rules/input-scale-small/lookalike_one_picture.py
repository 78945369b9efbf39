"""One constant input on purpose: a generator is fitted to one picture, and its loss falls."""
import torch
import torch.nn as nn

torch.manual_seed(315)
seed = torch.ones(8, 16)
picture = torch.rand(1, 64).expand(8, 64)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(120):
    loss = nn.functional.mse_loss(model(seed), picture)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, loss.item())
