"""SGD without momentum goes on from weights and epoch: there is no state to lose."""

import torch
import torch.nn as nn

torch.manual_seed(4)
x = torch.randn(320, 12)
y = (x @ torch.randn(12, 3)).argmax(1)


def train(first, last, file=None):
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
    if file is not None:
        state = torch.load(file)
        model.load_state_dict(state["model"])
        first = state["epoch"] + 1
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(first, last):
        for index in torch.randperm(320).split(32):
            loss = nn.functional.cross_entropy(model(x[index]), y[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    torch.save({"model": model.state_dict(), "epoch": epoch}, "plain.pt")


train(0, 3)
train(0, 6, "plain.pt")
