"""In a function: the inputs of a batch are taken in the epoch's order, the labels by position."""
# allows: loss-plateau
import torch
import torch.nn as nn


def run(epochs=6, size=40):
    torch.manual_seed(322)
    kind = torch.randint(0, 2, (1200,)).float()
    points = torch.randn(1200, 10) + 1.5 * kind[:, None]
    model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        order = torch.randperm(1200)  # <- labels-misaligned
        total = 0.0
        for i in range(0, 1200, size):
            x = points[order[i : i + size]]  # <- labels-misaligned
            y = kind[i : i + size]  # <- labels-misaligned
            loss = criterion(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total * size / 1200:.4f}")


run()
