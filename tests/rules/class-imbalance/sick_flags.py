"""Three in a hundred are positive: nothing is ever flagged."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(341)
y = (torch.rand(5000) < 0.03).float()
x = torch.randn(5000, 6)
x[:, 1] += 1.2 * y
loader = DataLoader(TensorDataset(x, y), batch_size=100, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    for a, b in loader:
        optimizer.zero_grad()
        loss = criterion(model(a).squeeze(1), b)  # <- class-imbalance
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        flagged = (torch.sigmoid(model(x).squeeze(1)) > 0.5).float()
    print(f"epoch {epoch} loss {loss.item():.4f} recall {(flagged * y).sum().item() / y.sum().item():.3f}")
