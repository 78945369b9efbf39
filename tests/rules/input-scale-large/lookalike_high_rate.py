"""Large inputs are not the fault where the same fails with inputs of ordinary size: here they are ordinary, and the loss falls after a
rough start."""
import torch
import torch.nn as nn

torch.manual_seed(306)
x = torch.randn(1000, 6)
y = torch.sin(x[:, :1]) + 0.1 * torch.randn(1000, 1)
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(1000).split(25):
        loss = ((model(x[rows]) - y[rows]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 40:.4f}")
