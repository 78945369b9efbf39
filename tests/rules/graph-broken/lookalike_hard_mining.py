"""Triplets: distances for choosing the hardest negative are detached and go through numpy; the loss itself is whole."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(359)
identity = torch.randn(30, 16)
net = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 8))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(100):
    who = torch.randperm(30)[:24]
    anchor = F.normalize(net(identity[who] + 0.5 * torch.randn(24, 16)), dim=1)
    positive = F.normalize(net(identity[who] + 0.5 * torch.randn(24, 16)), dim=1)
    distance = torch.cdist(anchor.detach(), positive.detach()).numpy()
    np.fill_diagonal(distance, np.inf)
    hardest = torch.from_numpy(distance.argmin(1))
    loss = F.triplet_margin_loss(anchor, positive, positive[hardest], margin=0.3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
