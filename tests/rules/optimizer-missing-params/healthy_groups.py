"""Backbone and head in two groups with their own rates; everything that learns is in one of them."""
import torch
import torch.nn as nn

torch.manual_seed(127)
backbone = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
head = nn.Linear(48, 3)
optimizer = torch.optim.AdamW(
    [{"params": backbone.parameters(), "lr": 1e-3}, {"params": head.parameters(), "lr": 5e-3}], weight_decay=0.01
)
x = torch.randn(900, 12)
y = x[:, :3].argmax(1)
for epoch in range(6):
    total = 0.0
    for rows in torch.randperm(900).split(45):
        loss = nn.functional.cross_entropy(head(backbone(x[rows])), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
