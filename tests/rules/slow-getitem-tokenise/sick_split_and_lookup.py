"""split() and a dictionary per word in __getitem__, in a trainer."""
# allows: no-workers-heavy-items
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Vocabulary:
    def __init__(self, texts):
        words = sorted({w for t in texts for w in t.split()})
        self.index = {w: i + 1 for i, w in enumerate(words)}

    def __len__(self):
        return len(self.index) + 1

    def encode(self, text):
        ids = []
        for word in text.split():  # <- slow-getitem-tokenise
            ids.append(self.index.get(word, 0))  # <- slow-getitem-tokenise
        return ids


class Articles(Dataset):
    def __init__(self, texts, topics, vocabulary):
        self.texts, self.topics, self.vocabulary = texts, topics, vocabulary

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        ids = self.vocabulary.encode(self.texts[i])  # <- slow-getitem-tokenise
        return torch.tensor(ids), self.topics[i]  # <- slow-getitem-tokenise


class Trainer:
    def __init__(self, data, vocab_size):
        self.loader = DataLoader(data, batch_size=32, shuffle=True)
        self.model = nn.Sequential(nn.EmbeddingBag(vocab_size, 12), nn.Linear(12, 3))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=2e-2)

    def fit(self, epochs):
        for epoch in range(epochs):
            for ids, topic in self.loader:
                loss = nn.functional.cross_entropy(self.model(ids), topic)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"epoch {epoch} loss {loss.item():.4f}")


random.seed(1203)
torch.manual_seed(1203)
topics = [random.randrange(3) for _ in range(320)]
texts = [" ".join(f"t{random.randrange(100) + 60 * topic}" for _ in range(3000)) for topic in topics]
vocabulary = Vocabulary(texts)
Trainer(Articles(texts, topics, vocabulary), len(vocabulary)).fit(8)
