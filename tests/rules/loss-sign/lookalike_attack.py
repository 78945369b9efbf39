"""An attack: the loss of a finished model is made larger by moving its input."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(660)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).requires_grad_(False)
x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
delta = torch.zeros_like(x, requires_grad=True)
optimizer = torch.optim.SGD([delta], lr=0.5)
for step in range(40):
    loss = -F.cross_entropy(model(x + delta), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        delta.clamp_(-0.5, 0.5)
    if step % 20 == 19:
        print(step, loss.item())
