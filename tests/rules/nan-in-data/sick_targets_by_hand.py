"""A missing target, in rows picked by hand and a loss written by hand."""
# allows: loss-diverges
import torch
import torch.nn as nn


def train(model, x, y, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        for start in range(0, len(x), 30):
            rows = order[start : start + 30]
            answer = model(x[rows]).squeeze(1)  # <- nan-in-data
            loss = (answer - y[rows]).pow(2).mean()  # <- nan-in-data
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(0)
x = torch.randn(300, 5)
y = x.sum(1)
y[222] = float("nan")
train(nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)), x, y, 4)
