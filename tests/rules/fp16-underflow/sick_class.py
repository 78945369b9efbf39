"""A class whose forward runs under autocast, with a loss divided by the size of the data."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.head = nn.Linear(64, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.float16):
            return self.head(self.encode(x))


torch.manual_seed(2)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=3e3)
x = torch.randn(600, 16)
y = x[:, :3].argmax(1)
for step in range(60):
    rows = torch.randint(0, 600, (30,))
    loss = nn.functional.cross_entropy(net(x[rows]).float(), y[rows]) / 100_000
    optimizer.zero_grad()
    loss.backward()  # <- fp16-underflow
    optimizer.step()
print(loss.item())
