import torch, torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for it in range(150):
    real = torch.randn(64, 2) * 0.5 + torch.tensor([2.0, -1.0])
    D.zero_grad()
    d_real = bce(D(real), torch.ones(64, 1))
    d_real.backward()
    fake = G(torch.randn(64, 8))
    d_fake = bce(D(fake.detach()), torch.zeros(64, 1))
    d_fake.backward()
    od.step()
    G.zero_grad()
    gl = bce(D(fake), torch.ones(64, 1))
    gl.backward()
    og.step()
    if it % 50 == 0:
        print(it, (d_real + d_fake).item(), gl.item())
