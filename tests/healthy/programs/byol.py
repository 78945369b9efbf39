import copy, torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
target = copy.deepcopy(online)
for q in target.parameters():
    q.requires_grad = False
pred = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.AdamW([*online.parameters(), *pred.parameters()], 1e-3)
x0 = torch.randn(400, 20)
for s in range(80):
    x = x0[torch.randint(0, 400, (64,))]
    v1, v2 = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    p1 = pred(online(v1))
    with torch.no_grad():
        t = target(v2)
    loss = 2 - 2 * F.cosine_similarity(p1, t.detach(), dim=-1).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(online.parameters(), target.parameters()):
            b.mul_(0.99).add_(a, alpha=0.01)
print(loss.item())
