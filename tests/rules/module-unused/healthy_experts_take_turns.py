"""Experts of which a gate picks two a sample, and a layer that is dropped at times."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Linear(8, 16) for _ in range(4))
        self.extra, self.out = nn.Linear(16, 16), nn.Linear(16, 3)

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(1).topk(2, 1)
        h = torch.zeros(len(x), 16)
        for number, expert in enumerate(self.experts):
            rows, slot = (chosen == number).nonzero(as_tuple=True)
            if len(rows):
                h = h.index_add(0, rows, weights[rows, slot, None] * expert(x[rows]))
        h = torch.relu(h)
        if torch.rand(()) < 0.5:
            h = h + torch.relu(self.extra(h))
        return self.out(h)


torch.manual_seed(221)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(60):
    x = torch.randn(8, 8)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
