"""StepLR meant in epochs, stepped after every batch."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(91)
x = torch.randn(800, 12)
y = x[:, :4].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.2)  # <- scheduler-kills-lr
for epoch in range(10):
    for a, b in loader:
        loss = nn.functional.cross_entropy(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()  # <- scheduler-kills-lr
    print(epoch, loss.item())
