import torch, torch.nn as nn

torch.manual_seed(13)
E = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(E.parameters(), 5e-4)
chains = torch.randn(128, 2)
for step in range(150):
    angle = 6.283 * torch.rand(128)
    real = torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(128, 2)
    x = chains.clone().requires_grad_(True)
    for _ in range(5):
        g = torch.autograd.grad(E(x).sum(), x)[0]
        x = (x - 0.05 * g + 0.05 * torch.randn_like(x)).detach().requires_grad_(True)
    chains = x.detach()
    plus, minus = E(real), E(chains)
    loss = plus.mean() - minus.mean() + 0.1 * (plus.pow(2) + minus.pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        print(step, loss.item())
