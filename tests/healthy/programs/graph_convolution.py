"""Two-layer GCN, full batch, trained on a few nodes."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(2)
n = 200
y = torch.randint(0, 4, (n,))
A = (torch.rand(n, n) < torch.where(y[:, None] == y[None], 0.12, 0.01)).float()
A = ((A + A.t()) > 0).float() + torch.eye(n)
d = A.sum(1).rsqrt()
A = (d[:, None] * A * d[None]).to_sparse()
X = F.one_hot(y, 4).float() @ torch.randn(4, 30) * 0.3 + torch.randn(n, 30)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(30, 16))
        self.w2 = nn.Parameter(torch.empty(16, 4))
        self.b1 = nn.Parameter(torch.zeros(16))
        nn.init.xavier_uniform_(self.w1)
        nn.init.xavier_uniform_(self.w2)

    def forward(self, x):
        return torch.sparse.mm(A, F.dropout(F.relu(torch.sparse.mm(A, x @ self.w1) + self.b1), 0.5, self.training) @ self.w2)


m = GCN()
o = torch.optim.Adam(m.parameters(), 0.01, weight_decay=5e-4)
train = torch.arange(60)
for e in range(120):
    m.train()
    o.zero_grad()
    loss = F.nll_loss(F.log_softmax(m(X)[train], 1), y[train])
    loss.backward()
    o.step()
    m.eval()
    with torch.no_grad():
        acc = (m(X)[60:].argmax(1) == y[60:]).float().mean()
print(loss.item(), acc.item())
