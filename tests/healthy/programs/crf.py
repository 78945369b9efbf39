import torch, torch.nn as nn

torch.manual_seed(0)


class CRF(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(20, 16)
        s.r = nn.GRU(16, 16, batch_first=True, bidirectional=True)
        s.o = nn.Linear(32, 5)
        s.tr = nn.Parameter(torch.zeros(5, 5))

    def forward(s, x, y):
        em = s.o(s.r(s.e(x))[0])
        B, T, K = em.shape
        sc = em.gather(2, y[..., None]).squeeze(-1).sum(1) + s.tr[y[:, :-1], y[:, 1:]].sum(1)
        al = em[:, 0]
        for t in range(1, T):
            al = torch.logsumexp(al.unsqueeze(2) + s.tr + em[:, t].unsqueeze(1), 1)
        return (al.logsumexp(1) - sc).mean()


m = CRF()
o = torch.optim.Adam(m.parameters(), 1e-2)
X = torch.randint(0, 20, (320, 12))
Y = X % 5
for ep in range(4):
    for a, b in zip(X.split(32), Y.split(32)):
        l = m(a, b)
        o.zero_grad()
        l.backward()
        o.step()
    print(l.item())
