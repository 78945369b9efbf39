from dataclasses import dataclass
import torch, torch.nn as nn


@dataclass
class Cfg:
    vocab: int = 30
    hid: int = 64
    bptt: int = 20
    bs: int = 16
    lr: float = 3e-3


cfg = Cfg()
torch.manual_seed(0)


class RNNLM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.e = nn.Embedding(c.vocab, c.hid)
        self.r = nn.LSTM(c.hid, c.hid, 2, batch_first=True, dropout=0.1)
        self.o = nn.Linear(c.hid, c.vocab)
        self.o.weight = self.e.weight

    def forward(self, x, h=None):
        y, h = self.r(self.e(x), h)
        return self.o(y), h


text = torch.arange(30).repeat(300)[: 16 * 401].view(16, 401)
m = RNNLM(cfg)
opt = torch.optim.AdamW(m.parameters(), cfg.lr)
sch = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=60)
crit = nn.CrossEntropyLoss()
for ep in range(3):
    h = None
    for i in range(0, 400, cfg.bptt):
        x, y = text[:, i : i + cfg.bptt], text[:, i + 1 : i + 1 + cfg.bptt]
        if h is not None:
            h = tuple(t.detach() for t in h)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out, h = m(x, h)
            loss = crit(out.reshape(-1, cfg.vocab), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        sch.step()
    print(ep, loss.item())
