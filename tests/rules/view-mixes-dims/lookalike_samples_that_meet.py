"""Samples that meet on purpose: BatchNorm, a contrastive loss over pairs, time-major sequences."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
rnn = nn.GRU(16, 16)
optimizer = torch.optim.Adam([*encoder.parameters(), *rnn.parameters()], lr=5e-3)
for step in range(80):
    base = torch.randn(12, 10)
    pairs = torch.stack([base, base + 0.1 * torch.randn(12, 10)], 1)  # (batch, 2, features)
    z = F.normalize(encoder(pairs.view(24, 10)).view(12, 2, 16), dim=-1)
    logits = z[:, 0] @ z[:, 1].T / 0.2
    time_major = z.transpose(0, 1)
    out, _ = rnn(time_major)
    loss = F.cross_entropy(logits, torch.arange(12)) + 0.1 * (out[-1] - z[:, 0].detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
