import torch, torch.nn as nn

torch.manual_seed(0)
beta = torch.linspace(1e-4, 0.02, 200)
ab = (1 - beta).cumprod(0)


class Eps(nn.Module):
    def __init__(s):
        super().__init__()
        s.t = nn.Embedding(200, 16)
        s.n = nn.Sequential(nn.Linear(18, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))

    def forward(s, x, t):
        return s.n(torch.cat([x, s.t(t)], 1))


m = Eps()
ema = torch.optim.swa_utils.AveragedModel(m, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
opt = torch.optim.AdamW(m.parameters(), 2e-3)
for s in range(200):
    x = torch.randn(128, 2) * 0.2 + torch.tensor([1.0, -1.0])
    t = torch.randint(0, 200, (128,))
    e = torch.randn_like(x)
    a = ab[t, None]
    l = (m(a.sqrt() * x + (1 - a).sqrt() * e, t) - e).square().mean()
    opt.zero_grad()
    l.backward()
    opt.step()
    ema.update_parameters(m)
    if s % 50 == 0:
        print(l.item())
x = torch.randn(64, 2)
with torch.no_grad():
    for t in reversed(range(200)):
        e = ema(x, torch.full((64,), t))
        x = (x - beta[t] / (1 - ab[t]).sqrt() * e) / (1 - beta[t]).sqrt() + (beta[t].sqrt() * torch.randn_like(x) if t else 0)
print(x.mean(0))
