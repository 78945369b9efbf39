"""Click rate of 2 %: log loss, accuracy and the rank of clicks are printed; the rate is what is used."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(351)
user, item = torch.randint(0, 200, (12000,)), torch.randint(0, 100, (12000,))
taste, kind = torch.randn(200, 3), torch.randn(100, 3)
rate = torch.sigmoid((taste[user] * kind[item]).sum(1) * 0.7 - 4.5)
click = torch.bernoulli(rate)


class Clicks(nn.Module):
    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Embedding(200, 8), nn.Embedding(100, 8)
        self.out = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, user, item):
        return self.out(torch.cat([self.user(user), self.item(item)], 1)).squeeze(1)


def auc(score, label):
    order = score.argsort()
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(order))
    n1 = label.sum()
    return ((rank[label > 0].sum() - n1 * (n1 - 1) / 2) / (n1 * (len(label) - n1))).item()


train, valid = random_split(TensorDataset(user, item, click), [10000, 2000])
model = Clicks()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for u, i, c in DataLoader(train, batch_size=128, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(u, i), c)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        u, i, c = valid[:]
        p = torch.sigmoid(model(u, i))
        right = ((p > 0.5) == (c > 0.5)).float().mean().item()
        calibration = p.mean().item() / c.mean().item()
        print(f"{epoch} loss {loss.item():.4f} accuracy {right:.3f} auc {auc(p, c):.3f} calibration {calibration:.2f}")
