"""The final states of an LSTM, (layers, batch, width), are viewed as one row a sample."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 12, 6)
y = (x[:, :, 0].sum(1) > 0).long()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 20, bidirectional=True, batch_first=True)
        self.head = nn.Linear(40, 2)

    def forward(self, x):
        _, (state, _) = self.rnn(x)
        state = state.view(x.size(0), -1)  # <- view-mixes-dims
        return self.head(state)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
