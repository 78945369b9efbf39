"""One-hot rows of integers where indices are meant."""
# exits: 1
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(693)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.LogSoftmax(dim=1))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(5):
    x = torch.randn(16, 4)
    y = F.one_hot(x[:, :3].argmax(1), 3)
    loss = F.nll_loss(model(x), y)  # <- target-dtype
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
