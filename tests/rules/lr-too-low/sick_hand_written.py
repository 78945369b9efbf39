"""Batches picked by hand, a squared error written by hand."""
# allows: loss-plateau
import torch
import torch.nn as nn


def main():
    torch.manual_seed(17)
    inputs = torch.randn(600, 6)
    targets = inputs @ torch.tensor([[1.0], [-2.0], [0.5], [0.0], [1.5], [-1.0]]) + 0.1 * torch.randn(600, 1)
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=3e-8)  # <- lr-too-low
    for epoch in range(20):
        order = torch.randperm(600)
        for start in range(0, 600, 60):
            rows = order[start : start + 60]
            loss = ((model(inputs[rows]) - targets[rows]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.5f}")


main()
