"""Transformer: nn.TransformerEncoder, whose evaluation takes a fast path that hooks and modes can turn off."""

import torch
import torch.nn.functional as F
from torch import nn
from traces import report


class Tagger(nn.Module):
    def __init__(self, vocab=30, dim=16, tags=4):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocab, dim, padding_idx=0), nn.Embedding(16, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 32, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        h = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.out(self.encoder(h, src_key_padding_mask=ids == 0))


torch.manual_seed(4)
model = Tagger()
optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
losses, seen = [], []
for step in range(30):
    ids = torch.randint(1, 30, (8, 12))
    ids[torch.arange(12).expand(8, 12) >= torch.randint(8, 13, (8, 1))] = 0
    ids[0] = torch.randint(1, 30, (12,))
    model.train()
    loss = F.cross_entropy(model(ids).transpose(1, 2), ids % 4)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if step in (0, 1, 2, 10):
        model.eval()
        with torch.no_grad():
            seen.append(model(ids))
        with torch.inference_mode():
            seen.append(model(ids[:, :6]).clone())
report(losses, model=model, optimizer=optimizer, seen=seen)
