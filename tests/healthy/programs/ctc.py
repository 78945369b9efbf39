import torch, torch.nn as nn

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 6))
o = torch.optim.Adam(m.parameters(), 5e-3)
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
P = torch.randn(6, 8)
for s in range(80):
    tgt = torch.randint(1, 6, (16, 5))
    seq = tgt.repeat_interleave(3, 1)
    x = P[seq] + 0.2 * torch.randn(16, 15, 8)
    lp = m(x).log_softmax(-1).transpose(0, 1)
    l = ctc(lp, tgt, torch.full((16,), 15), torch.full((16,), 5))
    o.zero_grad()
    l.backward()
    o.step()
print(l.item())
