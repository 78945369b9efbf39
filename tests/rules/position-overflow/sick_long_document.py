"""32 positions, and one document of 40 tokens late in the epoch."""
# exits: 1
# accepts: embedding-too-small
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, vocab, max_length, dim=16):
        super().__init__()
        self.token = nn.Embedding(vocab, dim)
        self.position = nn.Embedding(max_length, dim)  # <- position-overflow
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, 2)

    def forward(self, ids):
        where = torch.arange(ids.shape[1])
        h = self.token(ids) + self.position(where)  # <- position-overflow
        return self.out(self.layer(h).mean(1))


torch.manual_seed(2201)
batches = [torch.randint(0, 60, (8, n)) for n in torch.randint(10, 33, (30,)).tolist()]
batches[24] = torch.randint(0, 60, (8, 40))
model = Encoder(60, 32)  # <- position-overflow
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for i, ids in enumerate(batches):
    loss = nn.functional.cross_entropy(model(ids), (ids[:, 0] > 30).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 6 == 0:
        print(f"batch {i} loss {loss.item():.4f}")
