"""Each element is clipped to 1e-6, in a trainer class."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_value_


class Trainer:
    def __init__(self, clip):
        torch.manual_seed(62)
        self.clip = clip
        self.x = torch.randn(600, 6)
        self.y = self.x.sum(1, keepdim=True) + torch.sin(3 * self.x[:, :1])
        self.net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def step(self, rows):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.net(self.x[rows]), self.y[rows])
        loss.backward()
        clip_grad_value_(self.net.parameters(), clip_value=self.clip)  # <- grad-clip-too-small
        self.opt.step()
        return loss.item()


trainer = Trainer(1e-6)
for epoch in range(5):
    print(epoch, sum(trainer.step(rows) for rows in torch.randperm(600).split(20)) / 30)
