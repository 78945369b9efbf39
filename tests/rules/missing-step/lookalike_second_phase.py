"""Two phases with an optimizer each, built at the start; only the first phase is run here."""
import sys

import torch
import torch.nn as nn

torch.manual_seed(6)
x = torch.randn(600, 8)
y = x[:, :4].argmax(1)
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 4)
warm = torch.optim.Adam(head.parameters(), lr=1e-2)
whole = torch.optim.Adam(body.parameters(), lr=1e-3)


def run(epochs, optimizers):
    for epoch in range(epochs):
        for rows in torch.randperm(600).split(30):
            loss = nn.functional.cross_entropy(head(body(x[rows])), y[rows])
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            warm.zero_grad()
            whole.zero_grad()
        print(epoch, loss.item())


run(6, [warm])
if "--all" in sys.argv:
    run(6, [warm, whole])
