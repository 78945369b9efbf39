import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9)
X = torch.randn(400, 20)
y = X[:, :4].argmax(1)


def attack(x, y):
    d = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        F.cross_entropy(m(x + d), y).backward()
        d.data = (d + 0.05 * d.grad.sign()).clamp(-0.1, 0.1)
        d.grad.zero_()
    return d.detach()


for ep in range(5):
    for a, b in zip(X.split(40), y.split(40)):
        d = attack(a, b)
        opt.zero_grad()
        l = F.cross_entropy(m(a + d), b)
        l.backward()
        opt.step()
    print(l.item())
