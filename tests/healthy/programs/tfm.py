import math, torch, torch.nn as nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.l1 = nn.LayerNorm(d)
        s.at = nn.MultiheadAttention(d, h, batch_first=True)
        s.l2 = nn.LayerNorm(d)
        s.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(s, x):
        m = torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), 1)
        y = s.l1(x)
        x = x + s.at(y, y, y, attn_mask=m, need_weights=False)[0]
        return x + s.ff(s.l2(x))


class GPT(nn.Module):
    def __init__(s, V=40, d=32, L=2, T=32):
        super().__init__()
        s.tok = nn.Embedding(V, d)
        s.pos = nn.Embedding(T, d)
        s.bl = nn.ModuleList(Block(d, 4) for _ in range(L))
        s.ln = nn.LayerNorm(d)
        s.head = nn.Linear(d, V, bias=False)
        s.head.weight = s.tok.weight
        s.apply(s.init)

    def init(s, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)

    def forward(s, i, t=None):
        x = s.tok(i) + s.pos(torch.arange(i.size(1)))
        for b in s.bl:
            x = b(x)
        lg = s.head(s.ln(x))
        return lg, (nn.functional.cross_entropy(lg.view(-1, lg.size(-1)), t.view(-1), ignore_index=-100) if t is not None else None)


data = (torch.arange(6000) * 7) % 40
m = GPT()
dec = [p for p in m.parameters() if p.dim() > 1]
nod = [p for p in m.parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{"params": dec, "weight_decay": 0.1}, {"params": nod, "weight_decay": 0.0}], lr=1e-3)


def get():
    ix = torch.randint(0, 5900, (8,))
    x = torch.stack([data[i : i + 32] for i in ix])
    y = torch.stack([data[i + 1 : i + 33] for i in ix])
    y[:, :4] = -100
    return x, y


ACC = 4
for it in range(40):
    lr = 1e-3 * min(1, (it + 1) / 10)
    for g in opt.param_groups:
        g["lr"] = lr
    for k in range(ACC):
        _, l = m(*get())
        (l / ACC).backward()
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    if it % 10 == 0:
        print(it, l.item())
