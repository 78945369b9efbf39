"""GRU encoder and decoder with attention, teacher forcing and padding."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(8)
PAD, SOS, EOS = 0, 1, 2


class Enc(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(20, 24, padding_idx=PAD)
        s.r = nn.GRU(24, 32, batch_first=True)

    def forward(s, x):
        return s.r(s.e(x))


class Dec(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(20, 24, padding_idx=PAD)
        s.r = nn.GRUCell(24 + 32, 32)
        s.o = nn.Linear(64, 20)

    def forward(s, y, h, mem, mask):
        outs = []
        h = h.squeeze(0)
        for t in range(y.shape[1]):
            w = torch.bmm(mem, h[:, :, None]).squeeze(2).masked_fill(mask, -1e9).softmax(1)
            c = (w[:, :, None] * mem).sum(1)
            h = s.r(torch.cat([s.e(y[:, t]), c], 1), h)
            outs.append(s.o(torch.cat([h, c], 1)))
        return torch.stack(outs, 1)


enc, dec = Enc(), Dec()
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 3e-3)


def batch(n=32):
    x = torch.zeros(n, 8, dtype=torch.long)
    y = torch.zeros(n, 10, dtype=torch.long)
    for i in range(n):
        k = int(torch.randint(3, 8, (1,)))
        s = torch.randint(3, 20, (k,))
        x[i, :k] = s
        y[i, 0] = SOS
        y[i, 1 : k + 1] = s.flip(0)
        y[i, k + 1] = EOS
    return x, y


for step in range(100):
    x, y = batch()
    mem, h = enc(x)
    z = dec(y[:, :-1], h, mem, x == PAD)
    loss = F.cross_entropy(z.flatten(0, 1), y[:, 1:].flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*enc.parameters(), *dec.parameters()], 1.0)
    opt.step()
print(loss.item())
