import torch, torch.nn as nn

torch.manual_seed(0)
qs = torch.tensor([0.1, 0.5, 0.9])
m = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(m.parameters(), 5e-3)
X = torch.randn(1000, 5)
y = X.sum(1) + torch.randn(1000)
for ep in range(8):
    for a, b in zip(X.split(50), y.split(50)):
        e = b.unsqueeze(1) - m(a)
        l = torch.max(qs * e, (qs - 1) * e).mean()
        opt.zero_grad()
        l.backward()
        opt.step()
    print(l.item())
