"""Spectral and weight normalisation read their weights under no_grad inside forward; WGAN clamps by hand."""
import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

torch.manual_seed(449)
G = nn.Sequential(weight_norm(nn.Linear(4, 32)), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(spectral_norm(nn.Linear(2, 32)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(32, 1)))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.0, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.9))
for step in range(100):
    real = torch.randn(64, 2) * 0.2 + torch.tensor([1.0, 0.5])
    fake = G(torch.randn(64, 4))
    loss_d = torch.relu(1 - D(real)).mean() + torch.relu(1 + D(fake.detach())).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    with torch.no_grad():
        for p in D.parameters():
            p.clamp_(-1.0, 1.0)
    loss_g = -D(fake).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    if step % 20 == 0:
        print(f"step {step} D {loss_d.item():.3f} G {loss_g.item():.3f}")
