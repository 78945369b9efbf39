"""Clipped after clearing, before there is anything to clip."""
import torch
import torch.nn as nn


def train(model, x, y, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(epochs):
        for rows in torch.randperm(len(x)).split(20):
            out = model(x[rows])
            loss = nn.functional.mse_loss(out, y[rows])
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # <- grad-clip-misplaced
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(68)
x = torch.randn(400, 5)
train(nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)), x, x.sum(1, keepdim=True), 5)
