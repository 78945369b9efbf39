import torch, torch.nn as nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
oa = torch.optim.Adam(actor.parameters(), 1e-3)
oc = torch.optim.Adam(critic.parameters(), 1e-3)
for t in range(300):
    s = torch.randn(64, 3)
    r = -((torch.randn(64, 1) * 0.1 + s[:, :1]) ** 2)
    with torch.no_grad():
        a = actor(s) + 0.1 * torch.randn(64, 1)
    l = nn.functional.mse_loss(critic(torch.cat([s, a], 1)), r - a**2)
    oc.zero_grad()
    l.backward()
    oc.step()
    if t % 8 == 0:
        la = -critic(torch.cat([s, actor(s)], 1)).mean()
        oa.zero_grad()
        la.backward()
        oa.step()
print(l.item())
