import torch, torch.nn as nn

torch.manual_seed(0)


class Rec(nn.Module):
    def __init__(s):
        super().__init__()
        s.u = nn.Embedding(50, 8, sparse=True)
        s.i = nn.Embedding(80, 8, sparse=True)
        s.b = nn.Linear(16, 1)

    def forward(s, u, i):
        a, b = s.u(u), s.i(i)
        return (a * b).sum(-1) + s.b(torch.cat([a, b], -1)).squeeze(-1)


m = Rec()
o1 = torch.optim.SparseAdam(list(m.u.parameters()) + list(m.i.parameters()), 1e-2)
o2 = torch.optim.Adam(m.b.parameters(), 1e-2)
u, i = torch.randint(0, 50, (2000,)), torch.randint(0, 80, (2000,))
r = ((u + i) % 3).float()
for ep in range(6):
    for ix in torch.randperm(2000).split(100):
        for o in (o1, o2):
            o.zero_grad()
        l = nn.functional.mse_loss(m(u[ix], i[ix]), r[ix])
        l.backward()
        for o in (o1, o2):
            o.step()
    print(l.item())
