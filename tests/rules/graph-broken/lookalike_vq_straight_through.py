"""VQ autoencoder: argmin picks the code, the straight-through trick carries the gradient past it."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, codes, dim):
        super().__init__()
        self.codebook = nn.Embedding(codes, dim)

    def forward(self, z):
        nearest = torch.cdist(z, self.codebook.weight).argmin(1)
        q = self.codebook(nearest)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
        self.quantizer = Quantizer(16, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x):
        q, commitment = self.quantizer(self.encoder(x))
        return self.decoder(q), commitment


torch.manual_seed(347)
prototypes = torch.randn(8, 12)
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    x = prototypes[torch.randint(0, 8, (64,))] + 0.1 * torch.randn(64, 12)
    output, commitment = model(x)
    loss = F.mse_loss(output, x) + commitment
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
