"""BYOL: the target branch is detached, the online branch learns."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(349)


class BYOL(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(dim, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 16))
        self.predictor = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, a, b):
        loss = 0.0
        for first, second in ((a, b), (b, a)):
            p = F.normalize(self.predictor(self.online(first)), dim=1)
            t = F.normalize(self.target(second).detach(), dim=1)
            loss = loss + (2 - 2 * (p * t).sum(1)).mean()
        return loss

    @torch.no_grad()
    def update_target(self, tau=0.98):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - tau)


model = BYOL(20)
optimizer = torch.optim.Adam([*model.online.parameters(), *model.predictor.parameters()], lr=2e-3)
for step in range(100):
    x = torch.randn(64, 20) * torch.linspace(2, 0.2, 20)
    loss = model(x + 0.3 * torch.randn_like(x), x + 0.3 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.update_target()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
