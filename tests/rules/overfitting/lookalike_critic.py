"""A value computed without gradients at every step, which rises while the model trains: no evaluation."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(2)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
start = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
start.load_state_dict(model.state_dict())
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
centres = torch.randn(3, 6)
for step in range(120):
    y = torch.randint(0, 3, (32,))
    x = centres[y] + 0.5 * torch.randn(32, 6)
    out = model(x)
    loss = F.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        moved = F.kl_div(out.log_softmax(-1), start(x).softmax(-1), reduction="batchmean")
print(loss.item(), moved.item())
