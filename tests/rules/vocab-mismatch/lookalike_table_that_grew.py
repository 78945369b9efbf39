"""The evaluation's table is the training's with more words at its end: the embedding has rows for them."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(6)
torch.manual_seed(6)


class Notes(Dataset):
    def __init__(self, n, extra, ids):
        self.ids = dict(ids)
        self.kinds = [random.randrange(2) for _ in range(n)]
        self.texts = [[f"{'ab'[kind]}{random.randrange(20 + extra)}" for _ in range(8)] for kind in self.kinds]
        for text in self.texts:
            for word in text:
                self.ids.setdefault(word, len(self.ids))

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor([self.ids[word] for word in self.texts[i]]), self.kinds[i]


train = Notes(200, 0, {})
valid = Notes(80, 4, train.ids)
model = nn.Sequential(nn.EmbeddingBag(60, 16), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(5):
    model.train()
    for ids, kinds in DataLoader(train, batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(ids), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum((model(ids).argmax(1) == kinds).sum().item() for ids, kinds in DataLoader(valid, batch_size=40)))
