"""The script finds the length of a list by running over its end, which is Python's IndexError and no tensor's; topk and sort indices."""
import torch
import torch.nn as nn

torch.manual_seed(2113)


def count(items):
    n = 0
    try:
        while True:
            items[n]
            n += 1
    except IndexError:
        return n


x = torch.randn(400, 12)
y = x.topk(3, 1).values.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(count([1, 2, 3, 4, 5])):
    for rows in torch.randperm(400).split(20):
        order = x[rows].argsort(1, descending=True)
        loss = nn.functional.mse_loss(model(x[rows].gather(1, order)), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
