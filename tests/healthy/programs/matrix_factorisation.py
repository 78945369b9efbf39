"""Ratings by dot product of two embeddings with biases; sparse gradients for the embeddings, a dense optimizer beside."""

import torch, torch.nn as nn

torch.manual_seed(10)
U, V = torch.randn(80, 3), torch.randn(60, 3)


class MF(nn.Module):
    def __init__(s):
        super().__init__()
        s.u = nn.Embedding(80, 8, sparse=True)
        s.v = nn.Embedding(60, 8, sparse=True)
        s.bu = nn.Embedding(80, 1)
        s.bv = nn.Embedding(60, 1)
        s.mu = nn.Parameter(torch.zeros(1))
        nn.init.normal_(s.u.weight, 0, 0.1)
        nn.init.normal_(s.v.weight, 0, 0.1)
        nn.init.zeros_(s.bu.weight)
        nn.init.zeros_(s.bv.weight)

    def forward(s, i, j):
        return (s.u(i) * s.v(j)).sum(1) + s.bu(i).squeeze(1) + s.bv(j).squeeze(1) + s.mu


m = MF()
o1 = torch.optim.SparseAdam([m.u.weight, m.v.weight], 0.02)
o2 = torch.optim.Adam([m.bu.weight, m.bv.weight, m.mu], 0.02)
for s in range(200):
    i, j = torch.randint(0, 80, (128,)), torch.randint(0, 60, (128,))
    y = (U[i] * V[j]).sum(1) + 0.1 * torch.randn(128) + 3
    loss = nn.functional.mse_loss(m(i, j), y)
    o1.zero_grad()
    o2.zero_grad()
    loss.backward()
    o1.step()
    o2.step()
print(loss.item())
