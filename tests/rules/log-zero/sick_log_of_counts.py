"""The logarithm of counts, one of which is nothing."""
# allows: loss-diverges
import torch
import torch.nn as nn


def main():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(300, 5)
    x = x.abs() + 0.1
    x[33] = 0
    for epoch in range(3):
        order = torch.randperm(300)
        for start in range(0, 300, 30):
            a = x[order[start : start + 30]]
            loss = (model(a)[:, 0] - torch.log(a[:, 0] * torch.sigmoid(model(a)[:, 1]))).pow(2).mean()  # <- log-zero
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


main()
