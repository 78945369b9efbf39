"""reduction="sum" with plain gradient descent at the rate of a mean."""
# allows: loss-diverges, lr-too-high, exploding-gradients
import torch
from torch import nn

torch.manual_seed(671)
mix = torch.randn(8)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(60):
    x = torch.randn(64, 8)
    y = (x @ mix).unsqueeze(1)
    loss = criterion(model(x), y)  # <- loss-reduction-sum
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
