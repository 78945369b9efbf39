"""GAN on a ring of Gaussians: the generator's backward also writes into the discriminator, which is cleared before its own turn."""
import torch
import torch.nn as nn

torch.manual_seed(2)
LATENT, BATCH = 8, 64
G = nn.Sequential(nn.Linear(LATENT, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
optG = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)

for step in range(150):
    angle = torch.randint(0, 8, (BATCH,)) * (6.2832 / 8)
    real = torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(BATCH, 2)

    optD.zero_grad()
    fake = G(torch.randn(BATCH, LATENT))
    errD = bce(D(real), real_label) + bce(D(fake.detach()), fake_label)
    errD.backward()
    optD.step()

    optG.zero_grad()
    errG = bce(D(fake), real_label)
    errG.backward()
    optG.step()
    if step % 25 == 0:
        print(f"[{step}/150] loss_D {errD.item():.3f} loss_G {errG.item():.3f}")
