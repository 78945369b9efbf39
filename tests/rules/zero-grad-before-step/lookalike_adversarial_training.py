"""FGSM adversarial training: a first backward is only for the input's gradient; its weight gradients are thrown away."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(59)
centers = torch.randn(3, 16)
y = torch.randint(0, 3, (960,))
x = centers[y] + 0.6 * torch.randn(960, 16)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
EPSILON = 0.1


def perturb(inputs, labels):
    inputs = inputs.clone().requires_grad_(True)
    loss = F.cross_entropy(model(inputs), labels)
    loss.backward()
    return (inputs + EPSILON * inputs.grad.sign()).detach()


for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(960).split(48):
        adversarial = perturb(x[rows], y[rows])
        optimizer.zero_grad()
        loss = F.cross_entropy(model(adversarial), y[rows])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} adversarial loss {total / 20:.4f}")
