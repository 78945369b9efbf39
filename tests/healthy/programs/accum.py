import torch, torch.nn as nn

torch.manual_seed(0)
m = nn.Linear(8, 3)
opt = torch.optim.SGD(m.parameters(), 0.1)
X = torch.randn(512, 8)
y = X[:, :3].argmax(1)
for e in range(10):
    opt.zero_grad()
    for k, (a, b) in enumerate(zip(X.split(16), y.split(16))):
        (nn.functional.cross_entropy(m(a), b) / 8).backward()
        if (k + 1) % 8 == 0:
            opt.step()
            opt.zero_grad(set_to_none=False)
