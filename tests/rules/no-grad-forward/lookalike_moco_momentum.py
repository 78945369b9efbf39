"""MoCo: the key encoder is a copy that requires no gradient, its keys wait in a queue; the query encoder learns."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, dim=16, width=12, queue=256):
        super().__init__()
        self.encoder_q = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, width))
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(width, queue), dim=0))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def keys(self, x):
        for k, q in zip(self.encoder_k.parameters(), self.encoder_q.parameters()):
            k.data = k.data * 0.99 + q.data * 0.01
        return F.normalize(self.encoder_k(x), dim=1)

    @torch.no_grad()
    def enqueue(self, keys):
        at = int(self.pointer)
        self.queue[:, at : at + len(keys)] = keys.T
        self.pointer[0] = (at + len(keys)) % self.queue.shape[1]

    def forward(self, a, b):
        q = F.normalize(self.encoder_q(a), dim=1)
        k = self.keys(b)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().detach()], 1) / 0.2
        self.enqueue(k)
        return F.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))


torch.manual_seed(461)
model = MoCo()
for _ in range(4):
    model.enqueue(model.keys(torch.randn(64, 16)))
optimizer = torch.optim.Adam(model.encoder_q.parameters(), lr=5e-3)
for step in range(160):
    x = torch.randn(64, 16)
    loss = model(x + 0.6 * torch.randn_like(x), x + 0.6 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
