"""A first phase in which only a penalty on the weights is trained, then the loss; and a loss of a learned input."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(714)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.no_grad():
    start = model(torch.randn(4, 6))
for step in range(50):
    x = torch.randn(32, 6)
    penalty = sum(p.pow(2).sum() for p in model.parameters())
    loss = 0.01 * penalty if step < 5 else F.mse_loss(model(x), x[:, :2]) + 0.001 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item(), start.mean().item())
