import torch
from torch import nn, autograd

torch.manual_seed(1)


class Critic(nn.Module):
    def __init__(s):
        super().__init__()
        s.f = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(s, x):
        return s.f(x).squeeze(-1)


class Gen(nn.Module):
    def __init__(s):
        super().__init__()
        s.f = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(s, z):
        return s.f(z)


c, g = Critic(), Gen()
oc = torch.optim.Adam(c.parameters(), 1e-3, betas=(0.0, 0.9))
og = torch.optim.Adam(g.parameters(), 1e-3, betas=(0.0, 0.9))


def gp(real, fake):
    a = torch.rand(real.size(0), 1)
    x = (a * real + (1 - a) * fake).requires_grad_(True)
    (gr,) = autograd.grad(c(x).sum(), x, create_graph=True)
    return ((gr.norm(2, dim=1) - 1) ** 2).mean()


for i in range(40):
    for _ in range(5):
        real = torch.randn(32, 2) + 3
        with torch.no_grad():
            fake = g(torch.randn(32, 4))
        oc.zero_grad()
        l = c(fake).mean() - c(real).mean() + 10 * gp(real, fake)
        l.backward()
        oc.step()
    og.zero_grad()
    lg = -c(g(torch.randn(32, 4))).mean()
    lg.backward()
    og.step()
print(l.item(), lg.item())
