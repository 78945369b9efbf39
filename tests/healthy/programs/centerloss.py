import torch, torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.PReLU(), nn.Linear(32, 2))
W = nn.Parameter(torch.randn(4, 2) * 0.1)
C = nn.Parameter(torch.randn(4, 2))
opt = torch.optim.Adam([{"params": net.parameters()}, {"params": [W]}, {"params": [C], "lr": 0.05}], 1e-2)
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)
for ep in range(8):
    for a, b in zip(X.split(40), y.split(40)):
        f = net(a)
        ce = nn.functional.cross_entropy(nn.functional.linear(f, W), b)
        ctr = (f - C[b]).pow(2).sum(1).mean()
        loss = ce + 0.01 * ctr
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(ce.item())
