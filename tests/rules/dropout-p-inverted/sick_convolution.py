"""Dropout2d with 0.95 after each block."""
# allows: loss-plateau
import torch
import torch.nn as nn


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(), nn.Dropout2d(0.95))  # <- dropout-p-inverted


def main():
    torch.manual_seed(142)
    model = nn.Sequential(block(1, 16), block(16, 16), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    patterns = torch.randn(3, 1, 10, 10)
    for step in range(90):
        y = torch.randint(0, 3, (32,))
        loss = nn.functional.cross_entropy(model(patterns[y] + 0.2 * torch.randn(32, 1, 10, 10)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
