"""The negative of an evidence lower bound, whose terms have both signs inside."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(12, 8)
        self.decode = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 12))

    def forward(self, x):
        mean, log_sd = self.encode(x).chunk(2, dim=1)
        posterior = Normal(mean, log_sd.exp())
        z = posterior.rsample()
        likelihood = -F.binary_cross_entropy_with_logits(self.decode(z), x, reduction="none").sum(1)
        prior = Normal(0.0, 1.0).log_prob(z).sum(1) - posterior.log_prob(z).sum(1)
        return likelihood + prior


torch.manual_seed(656)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
pattern = torch.rand(3, 12)
for step in range(80):
    x = (torch.rand(32, 12) < pattern[torch.randint(0, 3, (32,))]).float()
    elbo = model(x)
    loss = -elbo.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
