"""The logarithm of mixed probabilities, shifted by a small number: rows of exponentials sum to nearly one."""
import torch
import torch.nn.functional as F
from torch import nn


class Mixture(nn.Module):
    def __init__(self, experts=3, classes=4):
        super().__init__()
        self.gate = nn.Linear(8, experts)
        self.experts = nn.ModuleList(nn.Linear(8, classes) for _ in range(experts))

    def forward(self, x):
        weights = torch.softmax(self.gate(x), dim=1)
        each = torch.stack([torch.softmax(expert(x), dim=1) for expert in self.experts], dim=1)
        return torch.log((weights.unsqueeze(2) * each).sum(1) + 1e-6)


torch.manual_seed(614)
centers = torch.randn(4, 8) * 1.5
model = Mixture()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
for step in range(80):
    y = torch.randint(0, 4, (40,))
    x = centers[y] + torch.randn(40, 8)
    loss = F.nll_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
