"""A sparse autoencoder: most of its wide ReLU code rests for each sample, some of it always."""

import torch
from torch import nn


class Sparse(nn.Module):
    def __init__(self, width=16, code=256):
        super().__init__()
        self.encode = nn.Linear(width, code)
        nn.init.constant_(self.encode.bias, -0.6)
        self.decode = nn.Linear(code, width)

    def forward(self, x):
        code = torch.relu(self.encode(x))
        return self.decode(code), code


torch.manual_seed(0)
basis = torch.randn(40, 16)
model = Sparse()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(200):
    mixture = torch.rand(128, 40) * (torch.rand(128, 40) < 0.08)
    x = mixture @ basis
    restored, code = model(x)
    loss = nn.functional.mse_loss(restored, x) + 1e-3 * code.abs().sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
