"""Hand-written weights of ones times a scale, trained by a function."""
# allows: loss-plateau

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.full((6, 24), 0.1))  # <- constant-init
        self.b1 = nn.Parameter(torch.zeros(24))
        self.w2 = nn.Parameter(torch.ones(24, 1) * 0.1)  # <- constant-init
        self.b2 = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return torch.tanh(x @ self.w1 + self.b1) @ self.w2 + self.b2


def fit(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        x = torch.randn(50, 6)
        y = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
fit(Net(), 80)
