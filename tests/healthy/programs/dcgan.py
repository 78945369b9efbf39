"""DCGAN on small blobs."""

import torch, torch.nn as nn

torch.manual_seed(0)


def init(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


G = nn.Sequential(
    nn.ConvTranspose2d(16, 32, 4, 1, 0, bias=False),
    nn.BatchNorm2d(32),
    nn.ReLU(True),
    nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False),
    nn.BatchNorm2d(16),
    nn.ReLU(True),
    nn.ConvTranspose2d(16, 1, 4, 2, 1, bias=False),
    nn.Tanh(),
)
D = nn.Sequential(
    nn.Conv2d(1, 16, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, True),
    nn.Conv2d(16, 32, 4, 2, 1, bias=False),
    nn.BatchNorm2d(32),
    nn.LeakyReLU(0.2, True),
    nn.Conv2d(32, 1, 4, 1, 0, bias=False),
    nn.Sigmoid(),
)
G.apply(init)
D.apply(init)
criterion = nn.BCELoss()
oD = torch.optim.Adam(D.parameters(), 2e-4, betas=(0.5, 0.999))
oG = torch.optim.Adam(G.parameters(), 2e-4, betas=(0.5, 0.999))
fixed = torch.randn(16, 16, 1, 1)
grid = torch.linspace(-1, 1, 16)
for step in range(60):
    c = torch.rand(32, 2) - 0.5
    real = (
        2 * torch.exp(-8 * ((grid[None, :, None] - c[:, 0, None, None]) ** 2 + (grid[None, None, :] - c[:, 1, None, None]) ** 2))[:, None]
        - 1
    )
    D.zero_grad()
    lr = criterion(D(real).view(-1), torch.ones(32))
    lr.backward()
    fake = G(torch.randn(32, 16, 1, 1))
    lf = criterion(D(fake.detach()).view(-1), torch.zeros(32))
    lf.backward()
    oD.step()
    G.zero_grad()
    lg = criterion(D(fake).view(-1), torch.ones(32))
    lg.backward()
    oG.step()
with torch.no_grad():
    print(G(fixed).mean().item(), lg.item())
