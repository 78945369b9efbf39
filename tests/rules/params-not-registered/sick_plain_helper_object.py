"""The decoder is an ordinary class that holds modules; nn.Module does not look inside it."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Decoder:
    def __init__(self, code, width, outputs):
        self.up = nn.Linear(code, width)
        self.out = nn.Linear(width, outputs)

    def __call__(self, z):
        return self.out(F.elu(self.up(z)))  # <- params-not-registered


class VAE(nn.Module):
    def __init__(self, dim=16, code=3):
        super().__init__()
        self.encoder = nn.Linear(dim, 2 * code)
        self.decoder = Decoder(code, 24, dim)  # <- params-not-registered

    def forward(self, x):
        mean, logvar = self.encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return self.decoder(z), mean, logvar  # <- params-not-registered


def main():
    torch.manual_seed(213)
    data = torch.randn(800, 3) @ torch.randn(3, 16)
    vae = VAE()
    optimizer = torch.optim.Adam(vae.parameters(), lr=3e-3)  # <- params-not-registered
    for epoch in range(4):
        total = 0.0
        for batch in data[torch.randperm(800)].split(40):
            output, mean, logvar = vae(batch)
            kl = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(1).mean()
            loss = F.mse_loss(output, batch, reduction="sum") / len(batch) + kl
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / 20:.3f}")


main()
