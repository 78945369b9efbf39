"""FixMatch: the student labels unlabelled data itself, under no_grad, and learns from its confident labels."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(439)
centers = 2.0 * torch.randn(3, 10)


def sample(n):
    y = torch.randint(0, 3, (n,))
    return centers[y] + 0.8 * torch.randn(n, 10), y


def train(model, optimizer, steps):
    for step in range(steps):
        x, y = sample(16)
        u, _ = sample(64)
        with torch.no_grad():
            confidence, pseudo = model(u + 0.05 * torch.randn_like(u)).softmax(1).max(1)
        strong = model(u + 0.4 * torch.randn_like(u))
        unsupervised = (F.cross_entropy(strong, pseudo, reduction="none") * (confidence > 0.9)).mean()
        loss = F.cross_entropy(model(x), y) + unsupervised
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.4f} confident {(confidence > 0.9).float().mean().item():.2f}")


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    train(net, torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9), 100)
