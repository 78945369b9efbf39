"""A translator is given its labels and shifts them by itself: the answer for a position never sees the label at it."""

import torch
from torch import nn

torch.manual_seed(0)
N, LENGTH = 30, 10


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(N, 32)
        self.pos = nn.Parameter(0.1 * torch.randn(LENGTH, 32))
        self.body = nn.Transformer(32, 2, 1, 1, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, N)

    def forward(self, source, labels):
        given = torch.cat([torch.zeros_like(labels[:, :1]), labels[:, :-1]], 1)
        mask = nn.Transformer.generate_square_subsequent_mask(LENGTH)
        h = self.body(self.emb(source) + self.pos, self.emb(given) + self.pos, tgt_mask=mask)
        logits = self.head(h)
        return nn.functional.cross_entropy(logits.transpose(1, 2), labels), logits


model = Translator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    source = torch.randint(1, N, (16, LENGTH))
    loss, _ = model(source, (source.flip(1) * 7) % N)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
