import torch, torch.nn as nn

torch.manual_seed(0)
models = [nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4)) for _ in range(3)]
opts = [torch.optim.Adam(m.parameters(), 1e-2) for m in models]
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)
for ep in range(4):
    for ix in torch.randperm(400).split(40):
        for m, o in zip(models, opts):
            o.zero_grad()
            l = nn.functional.cross_entropy(m(X[ix]), y[ix])
            l.backward()
            o.step()
    with torch.no_grad():
        print((torch.stack([m(X).softmax(-1) for m in models]).mean(0).argmax(1) == y).float().mean())
