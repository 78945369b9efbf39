"""Attention pooling that normalises over the single score and not over time."""
import torch
import torch.nn.functional as F
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 16, batch_first=True)
        self.score = nn.Linear(16, 1)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        h, _ = self.rnn(x)
        weights = torch.softmax(self.score(h), dim=-1)  # <- single-unit-softmax
        return self.out((weights * h).sum(1))


torch.manual_seed(633)
model = Pool()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(24, 12, 4)
    loss = F.cross_entropy(model(x), (x[:, :, 0].sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
