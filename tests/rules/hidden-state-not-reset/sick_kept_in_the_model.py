"""The model keeps its state as an attribute; the loader shuffles."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(640, 15, 3)
y = (x[:, :, 0].sum(1) > 0).long()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 16, batch_first=True)
        self.head = nn.Linear(16, 2)
        self.state = None

    def forward(self, x):
        out, state = self.rnn(x, self.state)  # <- hidden-state-not-reset
        self.state = tuple(s.detach() for s in state)  # <- hidden-state-not-reset
        return self.head(out[:, -1])


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
for epoch in range(6):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
