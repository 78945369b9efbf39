"""Inputs and labels are shuffled apart: there is nothing to learn, and the loss stays at ln 10."""
# accepts: labels-misaligned
import torch
import torch.nn as nn

torch.manual_seed(1609)
y = torch.randint(0, 10, (6000,))
x = torch.randn(10, 12)[y] + 0.4 * torch.randn(6000, 12)
x = x[torch.randperm(6000)]  # <- loss-plateau, labels-misaligned
y = y[torch.randperm(6000)]  # <- loss-plateau, labels-misaligned
net = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    total = 0.0
    for rows in torch.randperm(6000).split(60):
        logits = net(x[rows])
        loss = criterion(logits, y[rows])  # <- loss-plateau
        optimizer.zero_grad()
        loss.backward()  # <- loss-plateau
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 100:.4f}")
