"""log_softmax and nll_loss."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(613)
centers = torch.randn(5, 8) * 1.5
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    y = torch.randint(0, 5, (40,))
    x = centers[y] + torch.randn(40, 8)
    loss = F.nll_loss(F.log_softmax(model(x), dim=1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item())
