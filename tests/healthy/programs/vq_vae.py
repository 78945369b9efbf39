"""VQ-VAE with straight-through estimation, commitment and codebook losses."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(6)


class VQ(nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.book = nn.Embedding(k, d)
        self.book.weight.data.uniform_(-1 / k, 1 / k)

    def forward(self, z):
        d = z.pow(2).sum(1, keepdim=True) + self.book.weight.pow(2).sum(1) - 2 * z @ self.book.weight.t()
        i = d.argmin(1)
        q = self.book(i)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss


enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
dec = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 10))
vq = VQ(16, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *vq.parameters()], 2e-3)
centres = torch.randn(8, 10)
for s in range(150):
    x = centres[torch.randint(0, 8, (64,))] + 0.1 * torch.randn(64, 10)
    q, l = vq(enc(x))
    loss = F.mse_loss(dec(q), x) + l
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
