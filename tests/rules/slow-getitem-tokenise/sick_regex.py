"""Regular expressions and vocabulary look-ups for each text, each epoch again."""
# allows: no-workers-heavy-items
import random
import re

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

random.seed(1201)
torch.manual_seed(1201)
GOOD, BAD = ["fine", "lovely", "great", "warm"], ["poor", "dull", "broken", "cold"]
FILLER = [f"word{i}" for i in range(300)]
VOCAB = {w: i + 2 for i, w in enumerate(GOOD + BAD + FILLER)}
PATTERN = re.compile(r"[a-z]+\d*|[.,!?]")


def tokenize(text, limit=400):
    text = re.sub(r"<[^>]+>", " ", text.lower())  # <- slow-getitem-tokenise
    tokens = PATTERN.findall(text)  # <- slow-getitem-tokenise
    ids = [VOCAB.get(token, 1) for token in tokens[:limit]]  # <- slow-getitem-tokenise
    return ids + [0] * (limit - len(ids))


class Reviews(Dataset):
    def __init__(self, n):
        self.labels = [random.randint(0, 1) for _ in range(n)]
        self.texts = []
        for label in self.labels:
            words = [random.choice(FILLER) + random.choice(["", "!", "<br/>", ","]) for _ in range(400)]
            for _ in range(60):
                words[random.randrange(400)] = random.choice(GOOD if label else BAD).title()
            self.texts.append(" ".join(words))

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor(tokenize(self.texts[i])), self.labels[i]  # <- slow-getitem-tokenise


loader = DataLoader(Reviews(900), batch_size=60, shuffle=True)
model = nn.Sequential(nn.EmbeddingBag(len(VOCAB) + 2, 16), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
