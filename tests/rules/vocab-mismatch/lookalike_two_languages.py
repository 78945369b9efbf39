"""Two tables over mostly the same letters: one for what is read, one for what is written."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(2)
torch.manual_seed(2)


class Dates(Dataset):
    def __init__(self, n):
        self.pairs = []
        for _ in range(n):
            day, month = random.randint(10, 28), random.randint(10, 12)
            self.pairs.append((f"{day}.{month}", f"{month}-{day}"))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        read, written = self.pairs[i]
        return torch.tensor([source[c] for c in read]), torch.tensor([target[c] for c in written])


class Converter(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True, bidirectional=True)
        self.head = nn.Linear(64, m)

    def forward(self, ids):
        return self.head(self.rnn(self.emb(ids))[0])


train, valid = Dates(200), Dates(60)
source = {c: i for i, c in enumerate("0123456789.")}
target = {c: i for i, c in enumerate("-9876543210")}
model = Converter(len(source), len(target))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    for read, written in DataLoader(train, batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(read).flatten(0, 1), written.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for read, written in DataLoader(valid, batch_size=30):
            print(epoch, (model(read).argmax(2) == written).float().mean().item())
