"""A generator that maximises the loss of its critic, an attack on the input, a repulsion besides the task."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(659)
generator, critic = nn.Linear(4, 2), nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
one = torch.optim.Adam(generator.parameters(), lr=1e-3)
two = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(60):
    real = torch.randn(32, 2) * 0.5 + torch.tensor([1.0, -1.0])
    fake = generator(torch.randn(32, 4))
    d_real = F.binary_cross_entropy_with_logits(critic(real), torch.ones(32, 1))
    d_fake = F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(32, 1))
    two.zero_grad()
    (d_real + d_fake).backward()
    two.step()
    g_loss = -F.binary_cross_entropy_with_logits(critic(fake), torch.zeros(32, 1))
    one.zero_grad()
    g_loss.backward()
    one.step()
    if step % 20 == 19:
        print(step, g_loss.item())
