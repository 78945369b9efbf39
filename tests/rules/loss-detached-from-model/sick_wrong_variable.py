"""The loss compares the input with the target; requires_grad_ quiets backward."""
# allows: loss-plateau
import torch
from torch import nn

torch.manual_seed(711)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(60):
    clean = torch.randn(32, 4)
    noisy = clean + 0.3 * torch.randn(32, 4)
    denoised = model(noisy)
    loss = criterion(noisy, clean)  # <- loss-detached-from-model
    loss.requires_grad_()
    optimizer.zero_grad()
    loss.backward()  # <- loss-detached-from-model
    optimizer.step()
    if step % 20 == 19:
        print(step, loss.item(), denoised.std().item())
