"""Tiny ViT with class token, positional table and pre-norm blocks; bfloat16 autocast on the CPU."""

import torch, torch.nn as nn

torch.manual_seed(12)


class Block(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.n1 = nn.LayerNorm(d)
        s.a = nn.MultiheadAttention(d, h, batch_first=True)
        s.n2 = nn.LayerNorm(d)
        s.m = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(s, x):
        y = s.n1(x)
        x = x + s.a(y, y, y, need_weights=False)[0]
        return x + s.m(s.n2(x))


class ViT(nn.Module):
    def __init__(s):
        super().__init__()
        s.p = nn.Conv2d(1, 32, 4, 4)
        s.cls = nn.Parameter(torch.zeros(1, 1, 32))
        s.pos = nn.Parameter(torch.zeros(1, 17, 32))
        nn.init.trunc_normal_(s.pos, std=0.02)
        nn.init.trunc_normal_(s.cls, std=0.02)
        s.b = nn.Sequential(*[Block(32, 4) for _ in range(2)])
        s.n = nn.LayerNorm(32)
        s.o = nn.Linear(32, 4)

    def forward(s, x):
        x = s.p(x).flatten(2).transpose(1, 2)
        x = torch.cat([s.cls.expand(len(x), -1, -1), x], 1) + s.pos
        return s.o(s.n(s.b(x))[:, 0])


m = ViT()
o = torch.optim.AdamW(m.parameters(), 2e-3, weight_decay=0.05)
tmpl = torch.randn(4, 1, 16, 16)
for s in range(80):
    y = torch.randint(0, 4, (32,))
    x = tmpl[y] + 0.8 * torch.randn(32, 1, 16, 16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = m(x)
        loss = nn.functional.cross_entropy(z, y)
    o.zero_grad()
    loss.backward()
    o.step()
print(loss.item())
