"""Inputs and labels are shuffled apart: there is nothing to learn, and the loss stays at ln 10."""
# accepts: labels-misaligned
import torch
import torch.nn as nn

torch.manual_seed(1609)
y = torch.randint(0, 10, (2000,))
x = torch.randn(10, 12)[y] + 0.4 * torch.randn(2000, 12)
x = x[torch.randperm(2000)]
y = y[torch.randperm(2000)]
net = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(2000).split(50):
        logits = net(x[rows])
        loss = criterion(logits, y[rows])  # <- loss-plateau
        optimizer.zero_grad()
        loss.backward()  # <- loss-plateau
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 40:.4f}")
