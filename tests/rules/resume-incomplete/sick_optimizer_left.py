"""The second part of a training loads weights and epoch from a file that also holds the optimizer."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(480, 12)
y = (x @ torch.randn(12, 4)).argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
criterion = nn.CrossEntropyLoss()


def build():
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    return model, torch.optim.Adam(model.parameters(), lr=5e-3)


def train(model, optimizer, first, last):
    for epoch in range(first, last):
        for xb, yb in loader:
            loss = criterion(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "last.pt")


train(*build(), 0, 3)
model, optimizer = build()
state = torch.load("last.pt")  # <- resume-incomplete
model.load_state_dict(state["model"])  # <- resume-incomplete
start = state["epoch"] + 1
train(model, optimizer, start, start + 3)
