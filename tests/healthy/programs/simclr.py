import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.SGD(enc.parameters(), 0.1, momentum=0.9)


def nt_xent(z1, z2, t=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    n = z.size(0)
    sim = z @ z.T / t
    sim.masked_fill_(torch.eye(n, dtype=torch.bool), float("-inf"))
    tgt = (torch.arange(n) + n // 2) % n
    return F.cross_entropy(sim, tgt)


data = torch.randn(512, 20)
for ep in range(5):
    for idx in torch.randperm(512).split(64):
        x = data[idx]
        l = nt_xent(enc(x + 0.1 * torch.randn_like(x)), enc(x + 0.1 * torch.randn_like(x)))
        opt.zero_grad()
        l.backward()
        opt.step()
    print(l.item())
