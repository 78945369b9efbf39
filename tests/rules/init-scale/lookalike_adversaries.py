"""A generator and a discriminator begun with weights of deviation 0.02, whose losses hold each other up."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
for layer in [*generator, *discriminator]:
    if isinstance(layer, nn.Linear):
        layer.weight.data.normal_(0, 0.02)
        layer.bias.data.zero_()
for_generator = torch.optim.Adam(generator.parameters(), 2e-3, betas=(0.5, 0.999))
for_discriminator = torch.optim.Adam(discriminator.parameters(), 2e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
for _ in range(120):
    real, noise = torch.randn(64, 2) * 0.2 + 0.5, torch.randn(64, 4)
    loss = criterion(discriminator(real), torch.ones(64, 1)) + criterion(discriminator(generator(noise).detach()), torch.zeros(64, 1))
    for_discriminator.zero_grad()
    loss.backward()
    for_discriminator.step()
    loss = criterion(discriminator(generator(noise)), torch.ones(64, 1))
    for_generator.zero_grad()
    loss.backward()
    for_generator.step()
