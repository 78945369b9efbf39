"""The loss of the model's output; a baseline that owes nothing to the model is printed beside it."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(713)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    clean = torch.randn(32, 4)
    noisy = clean + 0.3 * torch.randn(32, 4)
    baseline = F.mse_loss(noisy, clean)
    loss = F.mse_loss(model(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item(), baseline.item())
