"""Plain SGD at a rate meant for fine-tuning something else, in a script without functions."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(411)
angle = torch.rand(640) * 6.283
radius = torch.where(torch.arange(640) < 320, 1.0, 2.0)
points = torch.stack([radius * angle.cos(), radius * angle.sin()], 1) + 0.1 * torch.randn(640, 2)
ring = (torch.arange(640) >= 320).long()
loader = DataLoader(TensorDataset(points, ring), batch_size=40, shuffle=True)
net = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=2e-6, momentum=0.5)  # <- lr-too-low
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.5f}")
