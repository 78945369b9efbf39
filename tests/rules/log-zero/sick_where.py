"""torch.where puts the infinite value aside and not its gradient."""
# allows: loss-diverges, loss-plateau
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(6))
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        z = x * self.scale
        z = torch.where(z > 0, torch.log(z), torch.zeros_like(z))  # <- log-zero
        return self.layers(z)


torch.manual_seed(0)
x = torch.rand(256, 6)
x[200:230, 3] = 0.0
y = x[:, :1] + x[:, 1:2]
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(4):
    for start in range(0, 256, 16):
        loss = (net(x[start : start + 16]) - y[start : start + 16]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), net.scale.tolist())
