"""A Gaussian likelihood with learned width: densities above 1 make the loss negative."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(661)
model = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(120):
    x = torch.randn(64, 3)
    y = 0.1 * torch.tanh(x[:, 0]) + 0.01 * torch.randn(64)
    mean, log_sd, other, log_variance = model(x).unbind(1)
    by_hand = (0.5 * ((y - mean) / log_sd.exp()) ** 2 + log_sd).mean()
    loss = by_hand + F.gaussian_nll_loss(other, y, log_variance.exp()) - torch.distributions.Normal(mean, 1.0).log_prob(y).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 39:
        print(step, loss.item())
