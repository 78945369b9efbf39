# allows: overfitting, preprocessing-mismatch
"""The vocabulary comes from a file that belongs to other text: nearly every word of the validation is unknown."""

import pathlib
import random
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(1)
torch.manual_seed(1)
NEWS = [[f"n{kind}{i}" for i in range(40)] for kind in range(3)]
LETTERS = [[f"l{kind}{i}" for i in range(40)] for kind in range(3)]


def corpus(words, n):
    kinds = [random.randrange(3) for _ in range(n)]
    return [(random.choices(words[kind], k=10), kind) for kind in kinds]


path = pathlib.Path(tempfile.mkdtemp()) / "vocab.txt"
path.write_text("\n".join(["<unk>", *[word for group in NEWS for word in group], "l00", "l11", "l25"]))
vocab = {word: i for i, word in enumerate(path.read_text().splitlines())}


def collate(pairs):
    return torch.tensor([[vocab.get(word, 0) for word in words] for words, _ in pairs]), torch.tensor([kind for _, kind in pairs])


train = DataLoader(corpus(NEWS, 300), batch_size=20, shuffle=True, collate_fn=collate)
valid = DataLoader(corpus(LETTERS, 100), batch_size=25, collate_fn=collate)
model = nn.Sequential(nn.EmbeddingBag(len(vocab), 16), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(4):
    model.train()
    for ids, kinds in train:
        loss = nn.functional.cross_entropy(model(ids), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum((model(ids).argmax(1) == kinds).sum().item() for ids, kinds in valid))  # <- vocab-mismatch
