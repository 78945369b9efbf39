"""Pretrained weights come from a file that holds an optimizer and an epoch as well; the head is new."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(320, 12)
y = (x @ torch.randn(12, 3)).argmax(1)
body = nn.Sequential(nn.Linear(12, 32), nn.ReLU())
optimizer = torch.optim.Adam(body.parameters(), lr=1e-3)
for _ in range(30):
    loss = (body(torch.randn(32, 12)).mean(1) - 2).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save({"model": body.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 1}, "pretrained.pt")

state = torch.load("pretrained.pt")
print("pretrained for", state["epoch"], "epoch")
body = nn.Sequential(nn.Linear(12, 32), nn.ReLU())
body.load_state_dict(state["model"])
model = nn.Sequential(body, nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    for index in torch.randperm(320).split(32):
        loss = nn.functional.cross_entropy(model(x[index]), y[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
