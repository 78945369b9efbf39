"""Validation switches to eval mode, nobody switches back."""
# allows: overfitting
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(111)
x = torch.randn(700, 10)
y = (x[:, 0] + x[:, 1] > 0).long()
train, valid = DataLoader(TensorDataset(x[:500], y[:500]), 25, shuffle=True), DataLoader(TensorDataset(x[500:], y[500:]), 50)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.4), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


def accuracy():
    model.eval()  # <- eval-mode-in-training
    with torch.no_grad():
        return sum((model(a).argmax(1) == b).sum().item() for a, b in valid) / 200


model.train()
for epoch in range(5):
    for a, b in train:
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), accuracy())
