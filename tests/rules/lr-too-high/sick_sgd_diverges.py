"""Regression by SGD in a function: the loss grows until it is no number any more."""
# allows: loss-diverges, exploding-gradients, loss-plateau
import torch
import torch.nn as nn


def batches(count, size):
    for _ in range(count):
        x = torch.randn(size, 12)
        yield x, x[:, :3].sum(1, keepdim=True) + 0.1 * torch.randn(size, 1)


def train(model, optimizer):
    for x, y in batches(120, 48):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(21)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=4.0, momentum=0.9)  # <- lr-too-high
    print(f"loss {train(model, optimizer):.3f}")


main()
