"""A sample of length 0 masks every score of its row."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(12, 1)
        self.value = nn.Linear(12, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, t, pad):
        scores = self.score(t).squeeze(-1).masked_fill(pad, float("-inf"))
        weights = scores.softmax(1)  # <- div-zero-std
        return self.out((weights.unsqueeze(-1) * self.value(t)).sum(1))


torch.manual_seed(0)
x = torch.randn(320, 8, 12)
lengths = torch.randint(1, 9, (320,))
lengths[177] = 0
pad = torch.arange(8)[None] >= lengths[:, None]
y = (x[:, 0, 0] > 0).long()
net = Pooling()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for t, m, label in DataLoader(TensorDataset(x, pad, y), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(t, m), label)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
