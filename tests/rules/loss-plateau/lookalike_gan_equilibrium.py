"""A GAN in balance: the losses of both sides stay near ln 2 and 2 ln 2, as they should."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1637)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
D = nn.Sequential(nn.Linear(1, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))
one, zero = torch.ones(128, 1), torch.zeros(128, 1)
for step in range(300):
    real = torch.randn(128, 1)
    fake = G(torch.randn(128, 2))
    loss_d = F.binary_cross_entropy_with_logits(D(real), one) + F.binary_cross_entropy_with_logits(D(fake.detach()), zero)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = F.binary_cross_entropy_with_logits(D(fake), one)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    if step % 50 == 0:
        print(f"step {step} D {loss_d.item():.4f} G {loss_g.item():.4f}")
