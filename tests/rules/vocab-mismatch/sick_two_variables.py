# allows: overfitting, preprocessing-mismatch
"""No data set and no loader: two tables among the script's variables."""

import random

import torch
from torch import nn

random.seed(5)
torch.manual_seed(5)


def sentences(n):
    made = []
    for _ in range(n):
        kind = random.randrange(2)
        made.append(([f"{'xy'[kind]}{random.randrange(25)}" for _ in range(9)], kind))
    return made


def number_words(pairs):
    return {word: i for i, word in enumerate(dict.fromkeys(word for words, _ in pairs for word in words))}


def tensors(pairs, table):
    return torch.tensor([[table[word] for word in words] for words, _ in pairs]), torch.tensor([kind for _, kind in pairs])


train_pairs, valid_pairs = sentences(300), sentences(100)
table = number_words(train_pairs)
valid_table = number_words(valid_pairs)  # <- vocab-mismatch
train_x, train_y = tensors(train_pairs, table)
valid_x, valid_y = tensors(valid_pairs, valid_table)  # <- vocab-mismatch
model = nn.Sequential(nn.EmbeddingBag(len(table), 16), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(6):
    model.train()
    for i in range(0, 300, 30):
        loss = nn.functional.cross_entropy(model(train_x[i : i + 30]), train_y[i : i + 30])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, (model(valid_x).argmax(1) == valid_y).float().mean().item())
