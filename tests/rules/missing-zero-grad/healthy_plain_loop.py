"""The loop of every tutorial: zero_grad, forward, loss, backward, step."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
x = torch.randn(1200, 16)
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).float().unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=60, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss()

for epoch in range(8):
    model.train()
    total, correct = 0.0, 0
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
        correct += ((out > 0).float() == yb).sum().item()
    print(f"epoch {epoch} loss {total / len(x):.4f} acc {correct / len(x):.3f}")
