"""Parts without a gradient for good reasons: a frozen layer, a moving average that no optimizer holds, weights that two modules share."""
import copy

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.frozen = nn.Embedding(20, 16), nn.Linear(16, 16)
        self.out = nn.Linear(16, 20, bias=False)
        self.out.weight = self.emb.weight
        self.frozen.requires_grad_(False)

    def forward(self, x):
        h = self.emb(x)
        return self.out(h + torch.tanh(self.frozen(h)))


torch.manual_seed(224)
model = Net()
average = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    x = torch.randint(0, 20, (64,))
    loss = nn.functional.cross_entropy(model(x), (x * 3 + 1) % 20)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mine, other in zip(average.parameters(), model.parameters(), strict=True):
            mine.lerp_(other, 0.05)
print(loss.item())
