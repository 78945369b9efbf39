import torch, torch.nn as nn

torch.manual_seed(0)


class LoRA(nn.Module):
    def __init__(s, b, r=4):
        super().__init__()
        s.b = b
        b.requires_grad_(False)
        s.A = nn.Parameter(torch.randn(r, b.in_features) * 0.1)
        s.B = nn.Parameter(torch.zeros(b.out_features, r))

    def forward(s, x):
        return s.b(x) + x @ s.A.t() @ s.B.t()


net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
for i in (0, 2):
    net[i] = LoRA(net[i])
opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 1e-2)
X = torch.randn(400, 16)
y = X[:, :4].argmax(1)
for ep in range(6):
    for a, b in zip(X.split(40), y.split(40)):
        l = nn.functional.cross_entropy(net(a), b)
        opt.zero_grad()
        l.backward()
        opt.step()
    print(l.item())
