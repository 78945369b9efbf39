import torch, torch.nn as nn

torch.manual_seed(0)


class Enc(nn.Module):
    def __init__(s):
        super().__init__()
        s.c = nn.LSTMCell(4, 32)
        s.o = nn.Linear(32, 1)

    def forward(s, x):
        h = torch.zeros(x.size(0), 32)
        c = torch.zeros_like(h)
        for t in range(x.size(1)):
            h, c = s.c(x[:, t], (h, c))
        return s.o(h).squeeze(-1)


m = Enc()
o = torch.optim.Adam(m.parameters(), 1e-2)
X = torch.randn(320, 25, 4)
y = X[:, -5:, 0].sum(1)
for ep in range(6):
    for a, b in zip(X.split(32), y.split(32)):
        l = nn.functional.mse_loss(m(a), b)
        o.zero_grad()
        l.backward()
        o.step()
    print(l.item())
