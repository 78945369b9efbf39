"""A next-token model on padded sentences, the criterion without ignore_index."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0


def sentence():
    first, length = torch.randint(1, 20, ()).item(), torch.randint(3, 16, ()).item()
    return torch.tensor([(first + 3 * i) % 19 + 1 for i in range(length)])


class Model(nn.Module):
    def __init__(self, words=21, width=24):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.out(h)


torch.manual_seed(681)
data = [sentence() for _ in range(320)]
loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=lambda rows: pad_sequence(rows, batch_first=True, padding_value=PAD))
model = Model()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    for ids in loader:
        scores = model(ids[:, :-1])
        loss = criterion(scores.reshape(-1, 21), ids[:, 1:].reshape(-1))  # <- padding-in-loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
