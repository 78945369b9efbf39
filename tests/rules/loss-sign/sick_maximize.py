"""maximize=True with a loss."""
# allows: loss-diverges
import torch
from torch import nn

torch.manual_seed(654)
mix = torch.randn(6)
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, maximize=True)  # <- loss-sign
criterion = nn.MSELoss()
for step in range(60):
    x = torch.randn(32, 6)
    loss = criterion(model(x).squeeze(1), x @ mix)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
