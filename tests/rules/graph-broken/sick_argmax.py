"""The loss is computed from hard classes; requires_grad was set on it to silence the error."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(301)
x = torch.randn(900, 12)
grade = (x[:, 0] + x[:, 1]).clamp(-2, 1.99).add(2).long()
loader = DataLoader(TensorDataset(x, grade), batch_size=30, shuffle=True)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
for epoch in range(5):
    total = 0.0
    for xb, yb in loader:
        predicted = model(xb).argmax(dim=1)  # <- graph-broken
        loss = criterion(predicted.float(), yb.float())  # <- graph-broken
        loss.requires_grad = True  # <- graph-broken
        optimizer.zero_grad()
        loss.backward()  # <- graph-broken
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
