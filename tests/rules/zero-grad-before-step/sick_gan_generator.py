"""GAN: both networks are cleared after the generator's backward, so only the discriminator learns."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(47)
netG = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizerG = torch.optim.Adam(netG.parameters(), lr=5e-4, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=5e-4, betas=(0.5, 0.999))


def discriminator_step(real):
    netD.zero_grad()
    fake = netG(torch.randn(len(real), 4)).detach()
    out_real, out_fake = netD(real), netD(fake)
    loss = F.softplus(-out_real).mean() + F.softplus(out_fake).mean()
    loss.backward()
    optimizerD.step()
    return loss.item()


def generator_step(n):
    fake = netG(torch.randn(n, 4))
    loss = F.softplus(-netD(fake)).mean()
    loss.backward()
    netD.zero_grad()
    netG.zero_grad()  # <- zero-grad-before-step
    optimizerG.step()
    return loss.item()


for step in range(120):
    real = torch.randn(64, 2) * 0.3 + torch.tensor([2.0, -1.0])
    d, g = discriminator_step(real), generator_step(64)
    if step % 20 == 0:
        print(f"{step} D {d:.3f} G {g:.3f}")
