"""The same in a class, with SGD, where the whole net is made in bfloat16."""
# allows: lr-too-low, loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(12, 48, dtype=torch.bfloat16), nn.Tanh(), nn.Linear(48, 1, dtype=torch.bfloat16))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=3e-5)  # <- bf16-update-lost

    def step(self, a, b):
        loss = nn.functional.mse_loss(self.net(a).float(), b)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, loader):
        for epoch in range(4):
            total = sum(self.step(a, b) for a, b in loader)
            print(epoch, total / len(loader))


torch.manual_seed(3)
inputs = torch.randn(480, 12)
targets = inputs[:, :1] - inputs[:, 1:2]
Trainer().fit(DataLoader(TensorDataset(inputs.bfloat16(), targets), batch_size=24, shuffle=True))
