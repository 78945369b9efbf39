import argparse, torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=6)
a = p.parse_args()
torch.manual_seed(0)
base = (torch.rand(4, 64) > 0.5).float()
X = (base[torch.randint(0, 4, (600,))] + 0.05 * torch.rand(600, 64)).clamp(0, 1)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 40)
        self.mu = nn.Linear(40, 4)
        self.lv = nn.Linear(40, 4)
        self.fc3 = nn.Linear(4, 40)
        self.fc4 = nn.Linear(40, 64)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, lv


def loss_function(r, x, mu, lv):
    return F.binary_cross_entropy(r, x, reduction="sum") - 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for e in range(a.epochs):
    model.train()
    tot = 0
    for (x,) in DataLoader(TensorDataset(X), 50, shuffle=True):
        opt.zero_grad()
        r, mu, lv = model(x)
        l = loss_function(r, x, mu, lv)
        l.backward()
        tot += l.item()
        opt.step()
    print(e, tot / len(X))
