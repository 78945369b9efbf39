"""One vocabulary for both; words that it lacks are few."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(3)
torch.manual_seed(3)
WORDS = [[f"{theme}{i}" for i in range(30)] for theme in ("sea", "sky", "ice")]


class Articles(Dataset):
    def __init__(self, n, ids=None):
        self.kinds = [random.randrange(3) for _ in range(n)]
        self.texts = [random.choices(WORDS[kind], k=8) for kind in self.kinds]
        self.ids = dict(ids) if ids is not None else {"<unk>": 0}
        if ids is None:
            for text in self.texts:
                for word in text:
                    self.ids.setdefault(word, len(self.ids))

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor([self.ids.get(word, 0) for word in self.texts[i]]), self.kinds[i]


train = Articles(300)
test = Articles(90, train.ids)
model = nn.Sequential(nn.EmbeddingBag(len(train.ids), 16), nn.Linear(16, 3))
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
        print(epoch, sum((model(ids).argmax(1) == kinds).sum().item() for ids, kinds in DataLoader(test, batch_size=30)))
