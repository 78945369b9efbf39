"""Sigmoid gates inside the model and a scaled gate near its end; the scores themselves are raw."""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(10, 20)
        self.gate = nn.Linear(10, 20)
        self.head = nn.Linear(20, 3)

    def forward(self, x):
        h = self.value(x) * torch.sigmoid(self.gate(x))
        return self.head(h)


torch.manual_seed(605)
model = Gated()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
for step in range(60):
    x = torch.randn(40, 10)
    y = (x[:, :3] + x[:, 3:6] > 0).float()
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
