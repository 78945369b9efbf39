"""Switched by the evaluation function, and put back as it was."""
import torch
import torch.nn as nn

torch.manual_seed(123)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)


def evaluate():
    mode = model.training
    model.eval()
    with torch.no_grad():
        x = torch.randn(300, 8)
        found = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()).item()
    model.train(mode)
    return found


for step in range(100):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 24:
        print(step, loss.item(), evaluate())
