"""A rate far too high for a linear regression: the loss grows to inf and is no number from there on."""
# accepts: lr-too-high
# allows: input-scale-large, exploding-gradients
import torch
import torch.nn as nn

torch.manual_seed(331)
x = torch.randn(800, 12)
y = x @ torch.randn(12, 1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)  # <- loss-diverges
for step in range(60):
    rows = torch.randint(0, 800, (40,))
    loss = nn.functional.mse_loss(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()  # <- loss-diverges
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
