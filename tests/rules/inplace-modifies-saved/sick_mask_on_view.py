"""Part of an exponential is overwritten through a view; backward needs the whole of it."""
# exits: 1
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.scale = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Parameter(torch.ones(8))

    def forward(self, x):
        keys = self.k(x)
        keys += 0.1
        weights = torch.exp(self.q(x) @ keys.transpose(1, 2) / 3)  # <- inplace-modifies-saved
        weights[:, :, 0] = 0.0  # <- inplace-modifies-saved
        values = self.v(x)
        values *= self.scale
        return (weights / weights.sum(2, keepdim=True)) @ values


def main():
    torch.manual_seed(164)
    model = nn.Sequential(Attention(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(5):
        x = torch.randn(4, 6, 8)
        loss = (model(x) - x[..., :1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
