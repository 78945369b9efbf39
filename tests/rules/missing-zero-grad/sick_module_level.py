"""Compressive strength of concrete mixes: small MLP, loop at module level."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)
mixes = torch.rand(960, 8)
strength = (mixes @ torch.tensor([2.0, -1.0, 0.5, 1.5, -0.7, 0.3, 1.1, -1.9])).unsqueeze(1) + 0.05 * torch.randn(960, 1)
loader = DataLoader(TensorDataset(mixes, strength), batch_size=32, shuffle=True)

net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
criterion = nn.MSELoss()

for epoch in range(6):
    running = 0.0
    for x, y in loader:
        out = net(x)
        loss = criterion(out, y)
        loss.backward()  # <- missing-zero-grad
        optimizer.step()  # <- missing-zero-grad
        running += loss.item()
    print(f"epoch {epoch} mse {running / len(loader):.4f}")
