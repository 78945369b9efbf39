"""Weights, optimizer, scheduler and epoch are saved and loaded."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(320, 12)
y = (x @ torch.randn(12, 3)).argmax(1)


def build():
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    return model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.7)


def train(parts, first, last):
    model, optimizer, scheduler = parts
    for epoch in range(first, last):
        for index in torch.randperm(320).split(32):
            loss = nn.functional.cross_entropy(model(x[index]), y[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item())
    names = ("model", "optimizer", "scheduler")
    torch.save({"epoch": last, **{n: part.state_dict() for n, part in zip(names, parts)}}, "all.pt")


train(build(), 0, 3)
parts = build()
state = torch.load("all.pt")
for name, part in zip(("model", "optimizer", "scheduler"), parts):
    part.load_state_dict(state[name])
train(parts, state["epoch"], state["epoch"] + 3)
