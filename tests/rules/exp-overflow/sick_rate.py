"""A rate kept as a logarithm."""
# allows: loss-diverges
import torch
import torch.nn as nn


def main():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(300, 5)
    x[77] *= 3000
    for epoch in range(3):
        order = torch.randperm(300)
        for start in range(0, 300, 30):
            a = x[order[start : start + 30]]
            rate = torch.exp((model[0](a)).sum(1))  # <- exp-overflow
            loss = (rate.clamp_max(1e30) * 1e-4 - a[:, 0].clamp(-3, 3) * torch.log(rate + 1)).mean() + rate.mean() * 1e-6
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


main()
