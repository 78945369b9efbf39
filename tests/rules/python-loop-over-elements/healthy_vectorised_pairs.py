"""The same pairwise loss as one expression."""
import torch
import torch.nn as nn

torch.manual_seed(919)
prototypes = torch.randn(5, 12)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
upper = torch.triu(torch.ones(32, 32, dtype=torch.bool), 1)
for step in range(150):
    y = torch.randint(0, 5, (32,))
    z = net(prototypes[y] + 0.3 * torch.randn(32, 12))
    d = (z[:, None] - z[None]).pow(2).sum(-1)
    same = y[:, None] == y[None]
    loss = torch.where(same, d, (1.0 - (d + 1e-6).sqrt()).clamp(min=0) ** 2)[upper].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
