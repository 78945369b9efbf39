"""InfoNCE over the batch: it starts near the logarithm of the batch size and falls; compiled with the eager backend."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1697)
encoder = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 16))
compiled = torch.compile(encoder, backend="eager")
optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
for step in range(150):
    x = torch.randn(32, 20)
    a = F.normalize(compiled(x + 0.2 * torch.randn_like(x)), dim=1)
    b = F.normalize(compiled(x + 0.2 * torch.randn_like(x)), dim=1)
    loss = F.cross_entropy(a @ b.T / 0.1, torch.arange(32))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
