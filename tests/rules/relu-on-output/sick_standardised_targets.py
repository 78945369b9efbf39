"""A relu after the last layer of a regression on standardised targets."""
# allows: dead-relu, loss-plateau
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 32)
        self.b = nn.Linear(32, 1)

    def forward(self, x):
        return F.relu(self.b(torch.tanh(self.a(x)))).squeeze(1)  # <- relu-on-output


torch.manual_seed(641)
x = torch.randn(500, 8)
y = x @ torch.randn(8)
y = (y - y.mean()) / y.std()
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(80):
    i = torch.randint(0, 500, (32,))
    loss = F.mse_loss(net(x[i]), y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
