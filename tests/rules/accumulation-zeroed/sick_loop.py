"""Eight micro-batches a step, and zero_grad at the top of the loop."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(81)
x = torch.randn(1280, 10)
y = (x[:, :3].sum(1) > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
for epoch in range(3):
    for i, (a, b) in enumerate(loader):
        optimizer.zero_grad()  # <- accumulation-zeroed
        loss = nn.functional.cross_entropy(net(a), b) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()  # <- accumulation-zeroed
    print(epoch, 8 * loss.item())
