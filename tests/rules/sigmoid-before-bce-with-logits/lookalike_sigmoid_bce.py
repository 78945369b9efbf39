"""A sigmoid followed by binary_cross_entropy without logits."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(604)
x = torch.randn(600, 8)
y = (x[:, 0] * x[:, 1] > 0).float()
net = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(80):
    i = torch.randint(0, 600, (64,))
    loss = F.binary_cross_entropy(net(x[i]).squeeze(1), y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
