"""Class probabilities: one-hot rows of floats, smoothed labels, mixed samples."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(698)
centers = torch.randn(4, 8) * 1.5
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    y = torch.randint(0, 4, (32,))
    x = centers[y] + torch.randn(32, 8)
    target = F.one_hot(y, 4).float()
    share, order = float(torch.rand(())), torch.randperm(32)
    mixed, soft = share * x + (1 - share) * x[order], share * target + (1 - share) * target[order]
    loss = F.cross_entropy(model(x), target) + F.cross_entropy(model(mixed), soft) + F.cross_entropy(model(x), 0.9 * target + 0.025)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
