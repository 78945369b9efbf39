"""Positives first, negatives after them, read in slices."""
# allows: lr-too-high, loss-diverges
import torch
import torch.nn as nn


def train(size=20):
    torch.manual_seed(352)
    y = torch.cat([torch.ones(400), torch.zeros(400)])
    x = torch.randn(800, 6) + y[:, None]
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(4):
        for start in range(0, 800, size):  # <- unshuffled-data
            a = x[start : start + size]  # <- unshuffled-data
            b = y[start : start + size]
            loss = nn.functional.binary_cross_entropy_with_logits(model(a).squeeze(1), b)  # <- unshuffled-data
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


train()
