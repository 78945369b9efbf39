import torch, torch.nn as nn

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4))
cm = torch.compile(m, backend="eager")
opt = torch.optim.Adam(m.parameters(), 1e-2)
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)


@torch.compile(backend="eager")
def lossf(o, t):
    return nn.functional.cross_entropy(o, t)


for ep in range(5):
    for a, b in zip(X.split(40), y.split(40)):
        opt.zero_grad()
        l = lossf(cm(a), b)
        l.backward()
        opt.step()
    print(ep, l.item())
