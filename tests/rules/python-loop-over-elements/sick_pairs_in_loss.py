"""A contrastive loss that visits every pair of the batch in Python."""
import torch
import torch.nn as nn

torch.manual_seed(901)
MARGIN = 1.0
prototypes = torch.randn(5, 12)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)


def contrastive(z, y):
    total = 0.0
    count = 0
    for i in range(len(z)):  # <- python-loop-over-elements
        for j in range(i + 1, len(z)):  # <- python-loop-over-elements
            d = (z[i] - z[j]).pow(2).sum()  # <- python-loop-over-elements
            if y[i] == y[j]:  # <- python-loop-over-elements
                total = total + d  # <- python-loop-over-elements
            else:
                total = total + torch.clamp(MARGIN - (d + 1e-6).sqrt(), min=0) ** 2  # <- python-loop-over-elements
            count += 1
    return total / count


for step in range(16):
    y = torch.randint(0, 5, (32,))
    x = prototypes[y] + 0.3 * torch.randn(32, 12)
    loss = contrastive(net(x), y)  # <- python-loop-over-elements
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f}")
