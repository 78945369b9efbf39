"""A frozen backbone is run under no_grad; only the head is in the optimizer."""
import torch
import torch.nn as nn

torch.manual_seed(421)
backbone = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()).eval()
head = nn.Linear(64, 3)
optimizer = torch.optim.AdamW(head.parameters(), lr=1e-2)
x = torch.randn(900, 16)
y = x[:, :3].argmax(1)
for epoch in range(6):
    total = 0.0
    for rows in torch.randperm(900).split(45):
        with torch.no_grad():
            features = backbone(x[rows])
        loss = nn.functional.cross_entropy(head(features), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
