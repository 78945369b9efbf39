"""A discriminator sees real samples in one call and generated ones in the next: one class a batch, both in each step."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(354)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)


def judged(samples, label):
    scores = critic(samples)
    return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, label))


for step in range(120):
    real = torch.randn(32, 2) * 0.3 + torch.tensor([1.0, -1.0])
    fake = generator(torch.randn(32, 4))
    d_loss = judged(real, 1.0) + judged(fake.detach(), 0.0)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = judged(fake, 1.0)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
print(d_loss.item(), g_loss.item())
