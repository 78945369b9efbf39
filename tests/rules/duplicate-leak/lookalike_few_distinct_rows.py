"""Parity of eight bits, and a table of three small categories: equal rows are in the nature of such data."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(76)


def fit(x, y, epochs):
    train, valid = random_split(TensorDataset(x, y), [int(0.8 * len(x)), len(x) - int(0.8 * len(x))])
    model = nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        model.train()
        for a, b in DataLoader(train, batch_size=50, shuffle=True):
            loss = nn.functional.binary_cross_entropy_with_logits(model(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = [((model(a) > 0) == (b > 0.5)).float().mean().item() for a, b in DataLoader(valid, batch_size=50)]
        print(epoch, loss.item(), sum(right) / len(right))


bits = torch.randint(0, 2, (1000, 8)).float()
fit(bits, (bits.sum(1, keepdim=True) % 2), 12)
kinds = [torch.randint(0, n, (1000,)) for n in (4, 5, 6)]
rows = torch.cat([nn.functional.one_hot(kind, n).float() for kind, n in zip(kinds, (4, 5, 6))], 1)
fit(rows, ((kinds[0] + kinds[1]) % 2).float()[:, None], 8)
