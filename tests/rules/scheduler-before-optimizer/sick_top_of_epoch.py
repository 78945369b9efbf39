"""The old style: the scheduler at the top of each epoch, in a class."""
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset


class Learner:
    def __init__(self, net, lr):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.scheduler = StepLR(self.optimizer, step_size=4, gamma=0.5)

    def epoch(self, loader):
        for x, y in loader:
            loss = nn.functional.mse_loss(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def fit(self, loader, epochs):
        for _ in range(epochs):
            self.scheduler.step()  # <- scheduler-before-optimizer
            print(self.epoch(loader))


torch.manual_seed(42)
x = torch.randn(400, 5)
learner = Learner(nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)), 0.02)
learner.fit(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20, shuffle=True), 8)
