"""A trainer class: cleared after backward's neighbours, so each step uses the gradients of the batch before."""
# allows: zero-grad-before-step, loss-plateau
# exits: 1
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self):
        torch.manual_seed(72)
        x = torch.randn(400, 5)
        self.loader = DataLoader(TensorDataset(x, x.argmax(1)), batch_size=25, shuffle=True)
        self.net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 5))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def step(self, x, y):
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.optimizer.step()  # <- step-before-backward
        self.optimizer.zero_grad()
        loss.backward()  # <- step-before-backward
        return loss.item()

    def fit(self):
        for epoch in range(4):
            print(epoch, sum(self.step(x, y) for x, y in self.loader) / len(self.loader))


if __name__ == "__main__":
    Trainer().fit()
