"""A GAN: each loss rises when the other player gains."""
import torch
import torch.nn as nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
for step in range(200):
    real = 0.5 * torch.randn(64, 2) + 2
    made = generator(torch.randn(64, 8))
    critic_loss = criterion(critic(real), torch.ones(64, 1)) + criterion(critic(made.detach()), torch.zeros(64, 1))
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    generator_loss = criterion(critic(made), torch.ones(64, 1))
    generator_optimizer.zero_grad()
    generator_loss.backward()
    generator_optimizer.step()
print(f"{critic_loss.item():.3f} {generator_loss.item():.3f}")
