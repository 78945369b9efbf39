"""Model output (N, 1), targets (N,), nn.MSELoss at module level."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(601)
x = torch.randn(800, 9)
fare = x[:, 0] * 3 - x[:, 1] + 0.2 * torch.randn(800)
loader = DataLoader(TensorDataset(x, fare), batch_size=25, shuffle=True)
net = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 1))
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(5):
    running = 0.0
    for xb, yb in loader:
        pred = net(xb)
        loss = loss_fn(pred, yb)  # <- broadcast-loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"epoch {epoch} loss {running / len(loader):.4f}")
