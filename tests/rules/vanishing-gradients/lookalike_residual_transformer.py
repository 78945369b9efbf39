"""A pre-norm transformer of six layers, whose first and last gradients differ in size, and shallow sigmoids that learn."""

import torch
from torch import nn

torch.manual_seed(0)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        block = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")
        self.body = nn.TransformerEncoder(block, 6, enable_nested_tensor=False)
        self.head = nn.Linear(32, 20)

    def forward(self, x):
        return self.head(self.body(self.embed(x)))


model = Tiny()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(50):
    x = torch.randint(0, 20, (16, 8))
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.roll(1, 1).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net = nn.Sequential(nn.Linear(4, 32), nn.Sigmoid(), nn.Linear(32, 32), nn.Sigmoid(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
for _ in range(150):
    x = torch.randn(64, 4)
    loss = nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
