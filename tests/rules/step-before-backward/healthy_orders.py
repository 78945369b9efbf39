"""Right orders of every kind: cleared before, cleared after, a forward for the metric between backward and step."""
import torch
import torch.nn as nn

torch.manual_seed(73)
for order in ("before", "after", "metric"):
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(80):
        x = torch.randn(40, 6)
        y = x[:, :3].argmax(1)
        if order != "after":
            optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if order == "metric":
            accuracy = (model(x).argmax(1) == y).float().mean().item()
        optimizer.step()
        if order == "after":
            optimizer.zero_grad()
    print(order, loss.item())
