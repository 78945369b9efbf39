"""A likelihood that an optimizer with maximize=True makes larger."""
import torch
from torch import nn

torch.manual_seed(657)
centers = torch.randn(4, 6)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, maximize=True)
for step in range(60):
    y = torch.randint(0, 4, (32,))
    x = centers[y] + torch.randn(32, 6)
    likelihood = torch.log_softmax(model(x), dim=1).gather(1, y[:, None]).mean()
    optimizer.zero_grad()
    likelihood.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, likelihood.item())
