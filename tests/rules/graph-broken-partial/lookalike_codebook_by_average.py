"""A vector-quantised autoencoder whose codebook follows an average by hand, and a part that an optimizer holds and learns now and then."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantise(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(16, 8)

    def forward(self, z):
        nearest = torch.cdist(z, self.codes.weight).argmin(1)
        picked = self.codes(nearest).detach()
        if self.training:
            hot = F.one_hot(nearest, 16).to(z.dtype)
            mean = hot.t() @ z.detach() / hot.sum(0).clamp(min=1)[:, None]
            used = (hot.sum(0) > 0)[:, None]
            self.codes.weight.data.lerp_(torch.where(used, mean, self.codes.weight.data), 0.1)
        return z + (picked - z).detach(), F.mse_loss(z, picked)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.quantise, self.decode = nn.Linear(6, 8), Quantise(), nn.Linear(8, 6)
        self.judge = nn.Linear(6, 1)

    def forward(self, x):
        q, commitment = self.quantise(self.encode(x))
        out = self.decode(q)
        return out, commitment, self.judge(out)


torch.manual_seed(155)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
shown = []
for step in range(80):
    x = torch.randn(64, 2) @ torch.tensor([[1.0, -1, 2, 0, 1, 1], [0, 1, 1, -2, 1, 0]])
    out, commitment, score = model(x)
    loss = F.mse_loss(out, x) + 0.25 * commitment
    if step % 5 == 4:
        loss = loss + F.mse_loss(score.squeeze(1), x[:, 0])
    shown.append(score.mean().item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
