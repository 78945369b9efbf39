"""nn.Softmax in the model, nn.NLLLoss after it."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 24), nn.ReLU())
        self.head = nn.Linear(24, classes)
        self.probs = nn.Softmax(dim=-1)  # <- nll-without-log-softmax

    def forward(self, x):
        return self.probs(self.head(self.body(x)))  # <- nll-without-log-softmax


torch.manual_seed(611)
centers = torch.randn(4, 10) * 2
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.NLLLoss()
for step in range(60):
    y = torch.randint(0, 4, (32,))
    x = centers[y] + torch.randn(32, 10)
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
