"""Logistic regression with a gentle rate: the loss leaves ln 2 slowly and does not stop falling."""
import torch
import torch.nn as nn

torch.manual_seed(1627)
x = torch.randn(2000, 20)
y = ((x[:, 0] - x[:, 1]) > 0).float().unsqueeze(1)
model = nn.Linear(20, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(8):
    total = 0.0
    for rows in torch.randperm(2000).split(50):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 40:.4f}")
