"""Words are numbered from 1, the table has one row per word: the last word falls off."""
# exits: 1
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(701)
words = sorted({f"token{i}" for i in range(120)})
word_to_id = {w: i + 1 for i, w in enumerate(words)}
docs = torch.randint(1, len(words) + 1, (500, 15))
labels = (docs > 60).float().mean(1).round().long()
loader = DataLoader(TensorDataset(docs, labels), batch_size=25, shuffle=True)


class DocNet(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, 16)  # <- embedding-too-small
        self.fc = nn.Linear(16, 2)

    def forward(self, ids):
        return self.fc(self.emb(ids).mean(1))  # <- embedding-too-small


model = DocNet(len(word_to_id))  # <- embedding-too-small
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for ids, y in loader:
        loss = nn.functional.cross_entropy(model(ids), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
