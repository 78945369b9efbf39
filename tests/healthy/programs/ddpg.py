import copy, random, torch, torch.nn as nn, torch.nn.functional as F
from collections import deque

torch.manual_seed(0)
random.seed(0)
mu = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())


class Q(nn.Module):
    def __init__(s):
        super().__init__()
        s.n = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(s, o, a):
        return s.n(torch.cat([o, a], -1))


q = Q()
mu_t, q_t = copy.deepcopy(mu), copy.deepcopy(q)
oa, oq = torch.optim.Adam(mu.parameters(), 1e-3), torch.optim.Adam(q.parameters(), 2e-3)
buf = deque(maxlen=2000)
o = torch.randn(3)
for t in range(250):
    with torch.no_grad():
        a = (mu(o) + 0.1 * torch.randn(1)).clamp(-1, 1)
    r = -(a - o[0].tanh()).pow(2)
    o2 = torch.randn(3)
    buf.append((o, a, r, o2))
    o = o2
    if t < 64:
        continue
    bo, ba, br, bo2 = map(torch.stack, zip(*random.sample(buf, 32)))
    with torch.no_grad():
        y = br + 0.9 * q_t(bo2, mu_t(bo2))
    lq = F.mse_loss(q(bo, ba), y)
    oq.zero_grad()
    lq.backward()
    oq.step()
    la = -q(bo, mu(bo)).mean()
    oa.zero_grad()
    la.backward()
    oa.step()
    for n, tgt in ((mu, mu_t), (q, q_t)):
        for p, pt in zip(n.parameters(), tgt.parameters()):
            pt.data.mul_(0.995).add_(0.005 * p.data)
print(lq.item(), la.item())
