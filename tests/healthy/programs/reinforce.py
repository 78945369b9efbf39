import torch, torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 32)
        self.b = nn.Linear(32, 2)

    def forward(self, s):
        return torch.softmax(self.b(torch.relu(self.a(s))), -1)


pi = Policy()
opt = torch.optim.Adam(pi.parameters(), 1e-2)
for ep in range(60):
    lps, rs = [], []
    s = torch.randn(4)
    for t in range(20):
        d = Categorical(pi(s.unsqueeze(0)))
        act = d.sample()
        lps.append(d.log_prob(act))
        rs.append(1.0 if act.item() == int(s[0] > 0) else 0.0)
        s = torch.randn(4)
    R, ret = 0, []
    for r in reversed(rs):
        R = r + 0.9 * R
        ret.insert(0, R)
    ret = torch.tensor(ret)
    ret = (ret - ret.mean()) / (ret.std() + 1e-8)
    loss = torch.stack([-lp * r for lp, r in zip(lps, ret)]).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if ep % 20 == 0:
        print(ep, sum(rs))
