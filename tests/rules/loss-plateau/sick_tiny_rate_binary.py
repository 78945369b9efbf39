"""A rate of 1e-9: the loss stays at ln 2."""
# accepts: lr-too-low
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1601)
x = torch.randn(1600, 2)
y = (x[:, 0] * x[:, 1] > 0).float().unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)  # <- loss-plateau
for epoch in range(5):
    total = 0.0
    for xb, yb in loader:  # <- loss-plateau
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)  # <- loss-plateau
        loss.backward()  # <- loss-plateau
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
