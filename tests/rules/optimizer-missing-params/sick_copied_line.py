"""A generator whose optimizer was copied from the line of the discriminator's and still holds that one's parameters."""

import torch
from torch import nn

torch.manual_seed(4)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, noise):
        return self.net(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


generator, discriminator = Generator(), Discriminator()
criterion = nn.BCEWithLogitsLoss()
generator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4)  # <- optimizer-missing-params
discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4)  # <- optimizer-missing-params
for step in range(120):
    real = torch.randn(64, 2) + 3
    fake = generator(torch.randn(64, 8))
    loss = criterion(discriminator(real), torch.ones(64, 1)) + criterion(discriminator(fake.detach()), torch.zeros(64, 1))
    discriminator_optimizer.zero_grad()
    loss.backward()
    discriminator_optimizer.step()
    loss = criterion(discriminator(fake), torch.ones(64, 1))
    generator_optimizer.zero_grad()
    loss.backward()
    generator_optimizer.step()
    if step % 40 == 0:
        print(step, loss.item())
