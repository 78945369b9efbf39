"""nn.Sigmoid at the end of a Sequential, nn.BCEWithLogitsLoss after it."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(601)
x = torch.randn(800, 12)
y = (x[:, :3].sum(1) > 0).float()
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model = nn.Sequential(
    nn.Linear(12, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
    nn.Sigmoid(),  # <- sigmoid-before-bce-with-logits
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb).squeeze(1)  # <- sigmoid-before-bce-with-logits
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
    print(f"{epoch} {loss.item():.4f}")
