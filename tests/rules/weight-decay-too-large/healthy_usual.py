"""Usual decays: AdamW 0.1 and SGD 1e-3."""
import torch
import torch.nn as nn

torch.manual_seed(54)
x = torch.randn(800, 10)
y = x[:, :4].argmax(1)
for cls, kwargs in ((torch.optim.AdamW, {"lr": 5e-3, "weight_decay": 0.1}), (torch.optim.SGD, {"lr": 0.1, "weight_decay": 1e-3})):
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = cls(model.parameters(), **kwargs)
    for epoch in range(5):
        for rows in torch.randperm(800).split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
    print(loss.item())
