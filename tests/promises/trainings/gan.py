"""GAN with two optimizers, a gradient penalty by autograd.grad, spectral normalisation and a moving average."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm
from traces import report

torch.manual_seed(5)
G = nn.Sequential(nn.Linear(4, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(spectral_norm(nn.Linear(2, 32)), nn.LeakyReLU(0.2), nn.Linear(32, 1))
average = copy.deepcopy(G).requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
opt_d = torch.optim.RMSprop(D.parameters(), lr=1e-3)
losses = []
for step in range(40):
    real = torch.randn(32, 2) * 0.3 + 1
    fake = G(torch.randn(32, 4))
    mixed = torch.lerp(real, fake.detach(), torch.rand(32, 1)).requires_grad_()
    slope = torch.autograd.grad(D(mixed).sum(), mixed, create_graph=True)[0]
    loss_d = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean() + (slope.norm(dim=1) - 1).pow(2).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    losses.append(loss_d.item())
    if step % 2 == 0:
        opt_g.zero_grad()
        loss_g = F.softplus(-D(fake)).mean()
        loss_g.backward()
        opt_g.step()
        losses.append(loss_g.item())
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), G.parameters(), strict=True):
                slow.lerp_(fast, 0.1)
report(losses, G=G, D=D, average=average, opt_g=opt_g, opt_d=opt_d)
