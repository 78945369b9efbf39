import torch, torch.nn as nn

torch.manual_seed(0)


class SAM(torch.optim.Optimizer):
    def __init__(s, params, base, rho=0.05, **k):
        super().__init__(params, dict(rho=rho, **k))
        s.base = base(s.param_groups, **k)
        s.param_groups = s.base.param_groups

    @torch.no_grad()
    def first_step(s):
        n = torch.norm(torch.stack([p.grad.norm() for g in s.param_groups for p in g["params"] if p.grad is not None]))
        for g in s.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                s.state[p]["old"] = p.data.clone()
                p.add_(p.grad * 0.05 / (n + 1e-12))
        s.zero_grad()

    @torch.no_grad()
    def second_step(s):
        for g in s.param_groups:
            for p in g["params"]:
                if p.grad is not None:
                    p.data = s.state[p]["old"]
        s.base.step()
        s.zero_grad()

    def step(s, closure=None):
        raise NotImplementedError


m = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
o = SAM(m.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)
F = nn.functional
for ep in range(6):
    for a, b in zip(X.split(40), y.split(40)):
        l = F.cross_entropy(m(a), b)
        l.backward()
        o.first_step()
        F.cross_entropy(m(a), b).backward()
        o.second_step()
    print(l.item())
