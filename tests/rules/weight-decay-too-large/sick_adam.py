"""Adam adds the decay to the gradient."""
# allows: loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(53)
x = torch.randn(640, 8)
y = torch.sin(x[:, :1] * 2) + x[:, 1:2]
model = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 1))
optimizer = torch.optim.Adam([  # <- weight-decay-too-large
    {"params": model[0].parameters()},
    {"params": model[2].parameters(), "lr": 2e-3},
], lr=1e-3, weight_decay=5.0)  # <- weight-decay-too-large
for epoch in range(12):
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
