import torch, torch.nn as nn

torch.manual_seed(0)


class MT(nn.Module):
    def __init__(s):
        super().__init__()
        s.t = nn.Sequential(nn.Linear(10, 64), nn.ReLU())
        s.heads = nn.ModuleDict({"cls": nn.Linear(64, 5), "reg": nn.Linear(64, 1), "bin": nn.Linear(64, 3)})
        s.lv = nn.Parameter(torch.zeros(3))

    def forward(s, x):
        h = s.t(x)
        return {k: v(h) for k, v in s.heads.items()}


m = MT()
opt = torch.optim.RMSprop(m.parameters(), 1e-3)
X = torch.randn(512, 10)
yc = X[:, :5].argmax(1)
yr = X.sum(1)
yb = (X[:, :3] > 0).float()
fns = {"cls": nn.CrossEntropyLoss(label_smoothing=0.1), "reg": nn.SmoothL1Loss(), "bin": nn.BCEWithLogitsLoss()}
for ep in range(10):
    for ix in torch.randperm(512).chunk(8):
        o = m(X[ix])
        ls = [fns["cls"](o["cls"], yc[ix]), fns["reg"](o["reg"].squeeze(1), yr[ix]), fns["bin"](o["bin"], yb[ix])]
        loss = sum(torch.exp(-m.lv[i]) * l + m.lv[i] for i, l in enumerate(ls))
        m.zero_grad()
        loss.backward()
        opt.step()
    print(ep, [round(l.item(), 3) for l in ls])
