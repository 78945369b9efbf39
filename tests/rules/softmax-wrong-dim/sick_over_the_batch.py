"""log_softmax over dimension 0 in a training function."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(14, 32)
        self.fc2 = nn.Linear(32, 5)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=0)  # <- softmax-wrong-dim


def train(net, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    centers = torch.randn(5, 14)
    for step in range(steps):
        y = torch.randint(0, 5, (48,))
        x = centers[y] + 0.5 * torch.randn(48, 14)
        loss = F.nll_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(step, loss.item())


torch.manual_seed(621)
train(Net(), 60)
