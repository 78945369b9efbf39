"""A causal model whose padding stands at the end and is left out of the loss."""

import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(0)
torch.manual_seed(0)
rows = []
for _ in range(160):
    first = random.randrange(1, 30)
    rows.append(torch.tensor([1 + (first + 3 * i) % 40 for i in range(random.randrange(6, 18))]))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(41, 32, padding_idx=0)
        self.attention = nn.MultiheadAttention(32, 2, batch_first=True)
        self.head = nn.Linear(32, 41)

    def forward(self, x):
        h = self.emb(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(h + self.attention(h, h, h, attn_mask=mask, need_weights=False)[0])


model = Decoder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for tokens in DataLoader(rows, batch_size=16, shuffle=True, collate_fn=lambda some: pad_sequence(some, batch_first=True)):
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
