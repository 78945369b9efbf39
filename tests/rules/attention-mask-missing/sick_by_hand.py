"""Attention by hand, in a function, over rows that are filled up."""

import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(0)
torch.manual_seed(0)


def reviews(n):
    made = []
    for _ in range(n):
        kind = random.randrange(2)
        words = [random.randrange(1, 20) + 20 * kind for _ in range(random.randrange(4, 16))]
        made.append((torch.tensor(words), kind))
    return made


def collate(pairs):
    return pad_sequence([words for words, _ in pairs], batch_first=True), torch.tensor([kind for _, kind in pairs])


def attend(q, k, v):
    weights = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1)  # <- attention-mask-missing
    return weights @ v


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(41, 32)
        self.qkv = nn.Linear(32, 96)
        self.head = nn.Linear(32, 2)

    def forward(self, words):
        h = self.emb(words)
        return self.head((h + attend(*self.qkv(h).chunk(3, -1)))[:, 0])  # <- attention-mask-missing


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for words, kinds in DataLoader(reviews(160), batch_size=16, shuffle=True, collate_fn=collate):
        loss = nn.functional.cross_entropy(model(words), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
