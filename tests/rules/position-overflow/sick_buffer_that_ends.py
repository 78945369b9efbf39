# exits: 1
"""A table of sines is cut to the length of the sequence and added; one sequence is longer."""

import math

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Positions(nn.Module):
    def __init__(self, width, longest=40):
        super().__init__()
        at = torch.arange(longest)[:, None]
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(1, longest, width)
        table[0, :, 0::2], table[0, :, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
        self.register_buffer("table", table)  # <- position-overflow

    def forward(self, x):
        return x + self.table[:, : x.size(1)]  # <- position-overflow


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 16, padding_idx=0)
        self.positions = Positions(16)
        self.head = nn.Linear(16, 2)

    def forward(self, ids):
        h = self.positions(self.emb(ids))
        real = (ids != 0)[:, :, None]
        return self.head((h * real).sum(1) / real.sum(1))


torch.manual_seed(0)
texts = [(torch.randint(1, 50, (55 if i == 90 else 10 + i % 20,)), i % 2) for i in range(120)]
loader = DataLoader(texts, batch_size=10, collate_fn=lambda some: (pad_sequence([t for t, _ in some], True), torch.tensor([y for _, y in some])))
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for ids, y in loader:
    loss = nn.functional.cross_entropy(model(ids), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
