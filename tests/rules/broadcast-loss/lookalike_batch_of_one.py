"""Batches of one: (1, 1) against (1,) broadcasts to one element and is right; online learning."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(647)
x = torch.randn(300, 5)
y = x @ torch.tensor([1.0, -0.5, 0.3, 0.0, 2.0])
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
total = 0.0
for step, (xb, yb) in enumerate(DataLoader(TensorDataset(x, y), batch_size=1, shuffle=True)):
    loss = ((model(xb) - yb) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    if step % 50 == 49:
        print(f"step {step + 1} loss {total / 50:.5f}")
        total = 0.0
