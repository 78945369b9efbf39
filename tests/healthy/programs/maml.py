import torch, torch.nn as nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(40):
    opt.zero_grad()
    tot = 0.0
    for task in range(4):
        A, ph = torch.rand(1) * 4 + 0.1, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1) * 10 - 5, torch.rand(10, 1) * 10 - 5
        f = dict(net.named_parameters())
        ls = nn.functional.mse_loss(functional_call(net, f, (xs,)), A * torch.sin(xs + ph))
        g = torch.autograd.grad(ls, f.values(), create_graph=True)
        f2 = {k: v - 0.01 * gg for (k, v), gg in zip(f.items(), g)}
        tot = tot + nn.functional.mse_loss(functional_call(net, f2, (xq,)), A * torch.sin(xq + ph))
    (tot / 4).backward()
    opt.step()
print(tot.item())
