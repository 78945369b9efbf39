import torch
from torch import nn

torch.manual_seed(1)
c = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 1))
g = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
oc = torch.optim.Adam(c.parameters(), 1e-3)
og = torch.optim.Adam(g.parameters(), 1e-3)
for i in range(400):
    for _ in range(5):
        real = torch.randn(32, 2) + 3
        with torch.no_grad():
            fake = g(torch.randn(32, 4))
        oc.zero_grad()
        l = c(fake).mean() - c(real).mean()
        l.backward()
        oc.step()
        for p in c.parameters():
            p.data.clamp_(-0.1, 0.1)
    og.zero_grad()
    lg = -c(g(torch.randn(32, 4))).mean()
    lg.backward()
    og.step()
print(l.item(), lg.item())
