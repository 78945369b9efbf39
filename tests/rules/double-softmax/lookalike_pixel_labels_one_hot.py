"""Cross-entropy with probabilities as targets, mixup of two labels, and scaled cosine scores as logits."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(563)
proxies = nn.Parameter(torch.randn(6, 12))
net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 12))
optimizer = torch.optim.Adam([*net.parameters(), proxies], lr=5e-3)
centers = torch.randn(6, 20)
for step in range(120):
    a, b = torch.randint(0, 6, (2, 40))
    share = torch.distributions.Beta(0.4, 0.4).sample((40, 1))
    x = share * centers[a] + (1 - share) * centers[b] + 0.3 * torch.randn(40, 20)
    target = share * F.one_hot(a, 6) + (1 - share) * F.one_hot(b, 6)
    cosine = F.normalize(net(x), dim=1) @ F.normalize(proxies, dim=1).T
    loss = F.cross_entropy(10.0 * cosine, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
