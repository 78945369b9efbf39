"""Linear and logistic regression from zero weights, written by hand and as a layer."""

import torch
from torch import nn

torch.manual_seed(0)
w = torch.zeros(4, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
true = torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
optimizer = torch.optim.SGD([w, b], lr=0.1)
for _ in range(60):
    x = torch.randn(32, 4)
    loss = ((x @ w + b - x @ true) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

logistic = nn.Linear(4, 1)
nn.init.zeros_(logistic.weight)
nn.init.zeros_(logistic.bias)
second = torch.optim.SGD(logistic.parameters(), lr=0.5)
for _ in range(60):
    x = torch.randn(32, 4)
    loss = nn.functional.binary_cross_entropy_with_logits(logistic(x), ((x @ true) > 0).float())
    second.zero_grad()
    loss.backward()
    second.step()
