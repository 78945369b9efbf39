"""0 and 1 for a loss that means -1 and 1."""
# allows: loss-plateau
import torch
from torch import nn

torch.manual_seed(695)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.SoftMarginLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(32, 6)
    y = (x[:, 0] > 0).float()
    loss = criterion(model(x).squeeze(1), y)  # <- target-dtype
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
