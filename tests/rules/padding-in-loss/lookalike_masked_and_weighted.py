"""Padding that is masked after reduction="none", or has the weight 0."""
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.out = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 4))

    def forward(self, words):
        return self.out(self.embed(words))


torch.manual_seed(683)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
weight = torch.tensor([1.0, 1.0, 1.0, 0.0])
for step in range(60):
    words, tags = torch.full((20, 15), 29), torch.full((20, 15), 3)
    for row in range(20):
        length = int(torch.randint(3, 16, ()))
        words[row, :length] = torch.randint(0, 29, (length,))
        tags[row, :length] = words[row, :length] % 3
    scores = model(words).flatten(0, 1)
    known = (tags != 3).flatten()
    each = F.cross_entropy(scores, tags.flatten(), reduction="none")
    loss = (each * known).sum() / known.sum() + F.cross_entropy(scores, tags.flatten(), weight=weight)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
