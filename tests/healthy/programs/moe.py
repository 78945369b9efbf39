import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)


class MoE(nn.Module):
    def __init__(s):
        super().__init__()
        s.ex = nn.ModuleList(nn.Linear(10, 4) for _ in range(3))
        s.g = nn.Linear(10, 3)

    def forward(s, x):
        w = F.softmax(s.g(x), -1)
        return (torch.stack([e(x) for e in s.ex], 1) * w.unsqueeze(-1)).sum(1)


m = MoE()
o = torch.optim.Adam(m.parameters(), 1e-2)
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)
for ep in range(8):
    for a, b in zip(X.split(40), y.split(40)):
        o.zero_grad()
        p = m(a)
        l = F.nll_loss(p.log_softmax(1), b)
        l.backward()
        o.step()
    print(l.item(), F.softmax(p, 1).max(1)[0].mean().item())
