"""Affine coupling flow trained on the negative log-likelihood (which may be negative)."""

import math, torch, torch.nn as nn

torch.manual_seed(7)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 2))
        nn.init.zeros_(self.net[2].weight)
        nn.init.zeros_(self.net[2].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * torch.exp(s) + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.squeeze(1)


flow = nn.ModuleList(Coupling(i % 2 == 1) for i in range(6))
opt = torch.optim.Adam(flow.parameters(), 2e-3)
for step in range(150):
    x = 0.05 * torch.randn(128, 2)
    x[:, 1] += x[:, 0] ** 2
    ld = 0
    z = x
    for f in flow:
        z, s = f(z)
        ld = ld + s
    nll = (0.5 * z.pow(2).sum(1) + math.log(2 * math.pi) - ld).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
print(nll.item())
