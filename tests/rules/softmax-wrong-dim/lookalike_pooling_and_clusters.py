"""Attention pooling over the instances of a bag (dim 0), soft clusters that are summed over the nodes, slots normalised again."""
import torch
import torch.nn.functional as F
from torch import nn


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(5, 16)
        self.score = nn.Linear(16, 1)
        self.assign = nn.Linear(16, 4)
        self.slots = nn.Parameter(torch.randn(3, 16))
        self.out = nn.Linear(16 + 64 + 48, 2)

    def forward(self, bag):
        h = torch.tanh(self.embed(bag))
        pooled = (torch.softmax(self.score(h), dim=0) * h).sum(0)
        clusters = torch.softmax(self.assign(h), dim=-1).transpose(0, 1) @ h
        attention = torch.softmax(h @ self.slots.T, dim=1) + 1e-6
        attention = attention / attention.sum(0, keepdim=True)
        return self.out(torch.cat([pooled, clusters.flatten(), (attention.T @ h).flatten()]))


torch.manual_seed(627)
model = Bags()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    scores, labels = [], []
    for _ in range(4):
        bag = torch.randn(7, 5)
        label = int(torch.rand(()) < 0.5)
        bag[2, 0] += 4 * label
        scores.append(model(bag))
        labels.append(label)
    loss = F.cross_entropy(torch.stack(scores), torch.tensor(labels))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
