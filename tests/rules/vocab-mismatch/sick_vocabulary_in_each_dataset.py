# allows: overfitting, preprocessing-mismatch
"""Each data set numbers its own words, in an object of its own."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(3)
torch.manual_seed(3)
WORDS = [[f"{theme}{i}" for i in range(30)] for theme in ("sea", "sky", "ice")]


class Vocabulary:
    def __init__(self, texts):
        self.ids = {"<pad>": 0}
        for text in texts:
            for word in text.split():
                self.ids.setdefault(word, len(self.ids))

    def __len__(self):
        return len(self.ids)

    def encode(self, text):
        return [self.ids[word] for word in text.split()]


class Articles(Dataset):
    def __init__(self, n):
        self.kinds = [random.randrange(3) for _ in range(n)]
        self.texts = [" ".join(random.choices(WORDS[kind], k=8)) for kind in self.kinds]
        self.vocabulary = Vocabulary(self.texts)  # <- vocab-mismatch

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor(self.vocabulary.encode(self.texts[i])), self.kinds[i]  # <- vocab-mismatch


class Reader(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 16)
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        return self.head(self.emb(ids).mean(1))


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    return sum((model(ids).argmax(1) == kinds).sum().item() for ids, kinds in loader) / len(loader.dataset)


def main():
    train, test = Articles(400), Articles(120)  # <- vocab-mismatch
    model = Reader(len(train.vocabulary))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(4):
        model.train()
        for ids, kinds in DataLoader(train, batch_size=20, shuffle=True):
            loss = nn.functional.cross_entropy(model(ids), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, accuracy(model, DataLoader(test, batch_size=60)))


main()
