"""An encoder reads a sequence and a decoder copies it, given what it should have said so far."""

import torch
from torch import nn

torch.manual_seed(0)
N, LENGTH, BEGIN = 12, 6, 0


class Copier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(N, 32)
        self.pos = nn.Parameter(0.1 * torch.randn(LENGTH, 32))
        self.body = nn.Transformer(32, 2, 1, 1, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, N)

    def forward(self, source, given):
        mask = nn.Transformer.generate_square_subsequent_mask(given.shape[1])
        return self.head(self.body(self.emb(source) + self.pos, self.emb(given) + self.pos, tgt_mask=mask))


model = Copier()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    source = torch.randint(1, N, (16, LENGTH))
    target = source
    given = torch.cat([torch.full((16, 1), BEGIN), target[:, :-1]], 1)
    loss = nn.functional.cross_entropy(model(source, given).flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
