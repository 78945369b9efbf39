"""A damaged line with 1e30 in it, rows picked by hand."""
# allows: loss-diverges
import torch
import torch.nn as nn


def main():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(300, 5)
    x[90] = 1e30
    for epoch in range(3):
        order = torch.randperm(300)
        for start in range(0, 300, 30):
            a = x[order[start : start + 30]]
            loss = (model(a)[:, 0] - a.abs().sum(1)).pow(2).mean()  # <- bad-data-row
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


main()
