import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
T = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 5))
S = nn.Linear(12, 5)
X = torch.randn(600, 12)
y = X[:, :5].argmax(1)
ot = torch.optim.Adam(T.parameters(), 1e-2)
for _ in range(60):
    ot.zero_grad()
    l = F.cross_entropy(T(X), y)
    l.backward()
    ot.step()
T.eval()
os_ = torch.optim.Adam(S.parameters(), 1e-2)
for ep in range(6):
    for a, b in zip(X.split(60), y.split(60)):
        with torch.inference_mode():
            tl = T(a)
        sl = S(a)
        t = 2.0
        kd = F.kl_div(F.log_softmax(sl / t, 1), F.softmax(tl / t, 1), reduction="batchmean") * t * t
        soft = F.cross_entropy(sl, F.softmax(tl.clone(), -1))
        loss = 0.5 * kd + 0.3 * soft + 0.2 * F.cross_entropy(sl, b)
        os_.zero_grad()
        loss.backward()
        os_.step()
    print(ep, loss.item())
