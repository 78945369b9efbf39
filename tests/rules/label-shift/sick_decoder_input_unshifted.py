"""The decoder of a translator is given the very target that it shall tell."""

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

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        h = self.body(self.emb(source) + self.pos, self.emb(target) + self.pos[: target.shape[1]], tgt_mask=mask)
        return self.head(h)


def pairs(n):
    source = torch.randint(1, N, (n, LENGTH))
    return source, (source.flip(1) * 7) % N


model = Translator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for step in range(30):
    source, target = pairs(16)
    logits = model(source, target)  # <- label-shift
    loss = criterion(logits.transpose(1, 2), target)  # <- label-shift
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
