"""Targets of 0 and 1, and pixels between."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(703)
model = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 9), nn.Sigmoid())
head = nn.Linear(9, 1)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=5e-3)
for step in range(60):
    x = torch.rand(32, 9)
    loss = F.binary_cross_entropy(model(x), x) + F.binary_cross_entropy_with_logits(head(x).squeeze(1), (x[:, 0] > 0.5).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
