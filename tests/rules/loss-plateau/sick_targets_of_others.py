"""A regression on targets that have nothing to do with the inputs: it stays at their variance."""
# accepts: labels-misaligned
# allows: lr-too-low
import torch
import torch.nn as nn

torch.manual_seed(1671)
x = torch.randn(2000, 6)
y = 2.0 + x[:, :1] - 0.5 * x[:, 1:2]
y = y[torch.randperm(2000)]  # <- labels-misaligned, loss-plateau
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.MSELoss()
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(2000).split(50):
        loss = criterion(model(x[rows]), y[rows])  # <- loss-plateau
        optimizer.zero_grad()
        loss.backward()  # <- loss-plateau
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 40:.4f}")
