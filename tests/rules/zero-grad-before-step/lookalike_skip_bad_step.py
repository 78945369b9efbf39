"""A batch with an outrageous gradient is dropped: its gradients are cleared without a step."""
import torch
import torch.nn as nn

torch.manual_seed(71)
x = torch.randn(1000, 10)
y = x[:, :1] - x[:, 1:2] * 0.5 + 0.1 * torch.randn(1000, 1)
y[::97] += 500.0
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
skipped = 0
for epoch in range(5):
    kept = []
    for rows in torch.randperm(1000).split(25):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        if norm > 100:
            optimizer.zero_grad()
            skipped += 1
            continue
        optimizer.step()
        optimizer.zero_grad()
        kept.append(loss.item())
    print(f"epoch {epoch} loss {sum(kept) / len(kept):.4f} skipped {skipped}")
