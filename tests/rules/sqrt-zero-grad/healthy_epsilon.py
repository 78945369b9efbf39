"""The same distance with a small number under the root."""
# allows: loss-diverges
import torch
import torch.nn as nn


def main():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(300, 5)
    x[120] = 0
    for epoch in range(3):
        order = torch.randperm(300)
        for start in range(0, 300, 30):
            a = x[order[start : start + 30]]
            moved = model(a) - model(torch.zeros_like(a))
            distance = (moved.pow(2).sum(1) + 1e-8).sqrt()
            loss = (distance - 1).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


main()
