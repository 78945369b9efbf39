import torch, torch.nn as nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
head = nn.Linear(32, 4)
for p in body.parameters():
    p.requires_grad = False
opt = torch.optim.Adam(head.parameters(), 1e-2)
X = torch.randn(400, 10)
y = X[:, :4].argmax(1)
for ep in range(12):
    if ep == 6:
        for p in body.parameters():
            p.requires_grad = True
        opt.add_param_group({"params": body.parameters(), "lr": 1e-3})
    for a, b in zip(X.split(40), y.split(40)):
        l = nn.functional.cross_entropy(head(body(a)), b)
        opt.zero_grad()
        l.backward()
        opt.step()
    print(ep, l.item())
