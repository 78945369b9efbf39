"""A contrastive loss in both directions: one log-softmax over the rows, one over the columns."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(626)
left, right = nn.Linear(10, 8), nn.Linear(6, 8)
optimizer = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=1e-2)
shared = torch.randn(4, 16)
for step in range(60):
    z = torch.randn(24, 4)
    a, b = z @ shared[:, :10], z @ shared[:, 10:]
    scores = F.normalize(left(a), dim=1) @ F.normalize(right(b), dim=1).T / 0.1
    target = torch.arange(24)
    rows = F.nll_loss(F.log_softmax(scores, dim=1), target)
    columns = -F.log_softmax(scores, dim=0)[target, target].mean()
    loss = (rows + columns) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
