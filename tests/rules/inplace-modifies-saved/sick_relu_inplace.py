"""An in-place relu on what exp has saved."""
# exits: 1
import torch
import torch.nn as nn


def train():
    torch.manual_seed(162)
    layer = nn.Linear(5, 8)
    head = nn.Linear(8, 1)
    act = nn.ReLU(inplace=True)
    optimizer = torch.optim.SGD([*layer.parameters(), *head.parameters()], lr=0.01)
    for step in range(10):
        x = torch.randn(16, 5)
        scale = torch.exp(layer(x))  # <- inplace-modifies-saved
        scale.sub_(1.0)  # <- inplace-modifies-saved
        loss = head(act(scale)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train()
