import torch, torch.nn as nn
from collections import deque
import random

torch.manual_seed(6)
random.seed(6)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


actor, q1, q2 = mlp(3, 2), mlp(4, 1), mlp(4, 1)
t1, t2 = mlp(4, 1), mlp(4, 1)
t1.load_state_dict(q1.state_dict())
t2.load_state_dict(q2.state_dict())
log_alpha = torch.zeros((), requires_grad=True)
oa, oq, ol = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam([*q1.parameters(), *q2.parameters()], 1e-3), torch.optim.Adam([log_alpha], 1e-3)


def act(s):
    mu, ls = actor(s).chunk(2, -1)
    d = torch.distributions.Normal(mu, ls.clamp(-4, 1).exp())
    u = d.rsample()
    a = torch.tanh(u)
    return a, (d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1, keepdim=True)


buffer, s = deque(maxlen=2000), torch.zeros(3)
for step in range(260):
    with torch.no_grad():
        a = act(s)[0] if step > 50 else torch.rand(1) * 2 - 1
    n = (0.9 * s + 0.3 * torch.cat([a, a * s[:1], torch.randn(1)])).clamp(-2, 2)
    buffer.append((s, a, -(n.norm() ** 2).view(1), n))
    s = n if step % 50 else torch.randn(3)
    if step < 64:
        continue
    S, A, R, N = (torch.stack(z) for z in zip(*random.sample(buffer, 64)))
    with torch.no_grad():
        na, nl = act(N)
        z = torch.cat([N, na], 1)
        target = R + 0.95 * (torch.min(t1(z), t2(z)) - log_alpha.exp() * nl)
    z = torch.cat([S, A], 1)
    lq = nn.functional.mse_loss(q1(z), target) + nn.functional.mse_loss(q2(z), target)
    oq.zero_grad()
    lq.backward()
    oq.step()
    pa, pl = act(S)
    z = torch.cat([S, pa], 1)
    la = (log_alpha.exp().detach() * pl - torch.min(q1(z), q2(z))).mean()
    oa.zero_grad()
    la.backward()
    oa.step()
    ll = -(log_alpha * (pl.detach() - 1.0)).mean()
    ol.zero_grad()
    ll.backward()
    ol.step()
    with torch.no_grad():
        for t, q in ((t1, q1), (t2, q2)):
            for p, w in zip(t.parameters(), q.parameters()):
                p.lerp_(w, 0.01)
print(lq.item(), la.item(), log_alpha.item())
