"""Sequences padded with -1 go straight into the embedding."""
# exits: 1
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(2001)
sentences = [torch.randint(0, 50, (n,)) for n in torch.randint(4, 9, (200,)).tolist()]
loader = DataLoader([(s, int(s[0] > 25)) for s in sentences], batch_size=10, collate_fn=lambda batch: (
    pad_sequence([s for s, _ in batch], batch_first=True, padding_value=-1), torch.tensor([y for _, y in batch])))  # <- embedding-negative-index
embedding = nn.Embedding(50, 12)  # <- embedding-negative-index
head = nn.Linear(12, 2)
optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
for ids, y in loader:
    vectors = embedding(ids)  # <- embedding-negative-index
    loss = nn.functional.cross_entropy(head(vectors.mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
