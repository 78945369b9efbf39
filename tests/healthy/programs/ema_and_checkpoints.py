"""EMA copy for evaluation, cosine schedule with warm-up, best checkpoint saved and loaded at the end."""

import copy, math, os, tempfile, torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(11)
X = torch.randn(900, 12)
y = (X[:, 0] * X[:, 1] > 0).long()
tr, va = random_split(TensorDataset(X, y), [700, 200])
tl, vl = DataLoader(tr, 50, shuffle=True, drop_last=True), DataLoader(va, 100)
net = nn.Sequential(nn.Linear(12, 64), nn.BatchNorm1d(64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 2))
ema = copy.deepcopy(net).requires_grad_(False)
decay = [p for p in net.parameters() if p.ndim > 1]
rest = [p for p in net.parameters() if p.ndim < 2]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0}], 3e-3)
total = 12 * 14
sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 20) * 0.5 * (1 + math.cos(math.pi * min(1, s / total))))
path = os.path.join(tempfile.mkdtemp(), "best.pt")
best = 0
for epoch in range(12):
    net.train()
    for a, b in tl:
        loss = nn.functional.cross_entropy(net(a), b, label_smoothing=0.1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        sch.step()
        with torch.no_grad():
            for p, q in zip(ema.parameters(), net.parameters()):
                p.lerp_(q, 0.05)
            for p, q in zip(ema.buffers(), net.buffers()):
                p.copy_(q)
    ema.eval()
    with torch.no_grad():
        acc = sum((ema(a).argmax(1) == b).sum().item() for a, b in vl) / 200
    if acc > best:
        best = acc
        torch.save({"model": ema.state_dict(), "epoch": epoch}, path)
net.load_state_dict(torch.load(path)["model"])
net.eval()
print(best, loss.item())
