"""Attention by hand, whose mask shuts out the past and leaves the future."""

import math

import torch
from torch import nn

torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog and runs from the angry bear into the dark green wood "
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text * 6])


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, h):
        q, k, v = self.qkv(h).chunk(3, -1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        mask = torch.tril(torch.ones(h.shape[1], h.shape[1]), diagonal=-1).bool()
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)  # <- future-leak
        return h + weights @ v


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 32)
        self.blocks = nn.Sequential(Attention(32), Attention(32))
        self.head = nn.Linear(32, n)

    def forward(self, x, targets=None):
        logits = self.head(self.blocks(self.emb(x)))
        if targets is None:
            return logits
        return nn.functional.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def step(self):
        at = torch.randint(0, len(ids) - 25, (8,)).tolist()
        x = torch.stack([ids[i : i + 24] for i in at])
        y = torch.stack([ids[i + 1 : i + 25] for i in at])
        loss = self.model(x, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


trainer = Trainer(Model(len(letters)))
for _ in range(40):
    trainer.step()
