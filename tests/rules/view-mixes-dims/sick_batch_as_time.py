"""A recurrent layer without batch_first reads the samples of a batch as the steps of one sequence."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(640, 12, 6)
y = (x[:, :, 0].sum(1) > 0).long()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 16)  # <- view-mixes-dims
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        out, _ = self.rnn(x)  # <- view-mixes-dims
        return self.head(out[:, -1])


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
for epoch in range(4):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
