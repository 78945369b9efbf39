"""Sharpness-aware minimisation: climb, clear, second backward, come back, step. A subclass of Optimizer written by the user."""
import torch
import torch.nn as nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)

    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                move = p.grad * (group["rho"] / (norm + 1e-12))
                p.add_(move)
                self.state[p]["move"] = move
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["move"])
        self.base.step()
        self.zero_grad()

    def step(self, closure=None):
        raise RuntimeError("call first_step and second_step")


torch.manual_seed(23)
x = torch.randn(800, 8)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 2))
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    total = 0.0
    for i in range(0, 800, 40):
        xb, yb = x[i : i + 40], y[i : i + 40]
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.first_step()
        criterion(model(xb), yb).backward()
        optimizer.second_step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
