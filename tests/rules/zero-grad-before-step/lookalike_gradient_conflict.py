"""PCGrad: each task's gradients are read, cleared, combined by hand and written back before the step."""
import torch
from torch import nn


def project(a, b):
    dot = (a * b).sum()
    return a - (dot / b.pow(2).sum().clamp_min(1e-12)) * b if dot < 0 else a


def gradients(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]


def main():
    torch.manual_seed(73)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x = torch.randn(640, 8)
    targets = torch.stack([x[:, 0] + x[:, 1], x[:, 1] * x[:, 2]], 1)
    for epoch in range(6):
        sums = torch.zeros(2)
        for xb, yb in zip(x.split(32), targets.split(32)):
            losses = (model(xb) - yb).pow(2).mean(0)
            first, second = (gradients(model, optimizer, part) for part in losses)
            optimizer.zero_grad()
            for p, a, b in zip(model.parameters(), first, second):
                p.grad = project(a, b) + project(b, a)
            optimizer.step()
            sums += losses.detach()
        print(f"epoch {epoch} losses {[round(v, 4) for v in (sums / 20).tolist()]}")


main()
