import torch, torch.nn as nn

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
x = torch.linspace(-3, 3, 100)[:, None]
y = torch.sin(x)
opt = torch.optim.LBFGS(m.parameters(), lr=0.5, max_iter=5)
for i in range(15):

    def closure():
        opt.zero_grad()
        l = nn.functional.mse_loss(m(x), y)
        l.backward()
        return l

    l = opt.step(closure)
print(l.item())
