"""Soft targets of zero times the log-probability of a masked class."""
# allows: loss-diverges
import torch
import torch.nn as nn


def train(model, x, soft, allowed):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        for start in range(0, 240, 24):
            scores = model(x[start : start + 24]).masked_fill(~allowed[start : start + 24], float("-inf"))
            log_p = scores.log_softmax(1)
            loss = -(soft[start : start + 24] * log_p).sum(1).mean()  # <- log-zero
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(0)
x = torch.randn(240, 10)
allowed = torch.rand(240, 6) > 0.2
allowed[:, 0] = True
soft = (torch.rand(240, 6) * allowed).softmax(1) * allowed
train(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 6)), x, soft / soft.sum(1, keepdim=True), allowed)
