"""-1 and 1 for binary cross-entropy with logits."""
# allows: loss-diverges
import torch
from torch import nn

torch.manual_seed(701)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    x = torch.randn(32, 6)
    y = torch.where(x[:, 0] > 0, 1.0, -1.0)
    loss = criterion(model(x).squeeze(1), y)  # <- target-range
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
