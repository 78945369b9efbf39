"""A mean over a mask that is empty for one sample."""
# allows: loss-diverges
import torch
import torch.nn as nn


def main():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(300, 5)
    mask = (torch.rand(300, 5) < 0.6).float()
    mask[40] = 0
    for epoch in range(3):
        order = torch.randperm(300)
        for start in range(0, 300, 30):
            a = x[order[start : start + 30]]
            kept = mask[order[start : start + 30]]
            mean = (torch.tanh(a) * kept).sum(1) / kept.sum(1)  # <- div-zero-std
            loss = (model(a)[:, 0] - mean).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


main()
