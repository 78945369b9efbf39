"""A likelihood picked by hand, without its minus."""
# allows: loss-diverges
import torch
from torch import nn

torch.manual_seed(653)
centers = torch.randn(4, 6)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    y = torch.randint(0, 4, (32,))
    x = centers[y] + torch.randn(32, 6)
    logp = torch.log_softmax(model(x), dim=1)
    loss = logp[torch.arange(32), y].mean()  # <- loss-sign
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
