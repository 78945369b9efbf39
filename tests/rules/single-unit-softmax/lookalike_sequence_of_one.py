"""Attention over a memory that holds one element in these batches, and pooling over time with scores of one unit."""
import torch
import torch.nn.functional as F
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(4, 8), nn.Linear(4, 8)
        self.value, self.score = nn.Linear(4, 8), nn.Linear(8, 1)
        self.out = nn.Linear(16, 2)

    def forward(self, x, memory):
        weights = torch.softmax(self.query(x) @ self.key(memory).transpose(1, 2), dim=-1)
        read = weights @ self.value(memory)
        over_time = torch.softmax(self.score(read), dim=1)
        return self.out(torch.cat([(over_time * read).sum(1), self.value(x).mean(1)], dim=1))


torch.manual_seed(635)
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    x, memory = torch.randn(24, 5, 4), torch.randn(24, 1, 4)
    loss = F.cross_entropy(model(x, memory), (memory[:, 0, 0] + x[:, :, 1].sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
