"""Elements are visited one by one, but once an epoch, for a report; the training steps are whole."""
import torch
import torch.nn as nn

torch.manual_seed(967)
y = torch.randint(0, 4, (1200,))
x = torch.randn(4, 20)[y] + torch.randn(1200, 20)
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


@torch.no_grad()
def confusion(model):
    table = [[0] * 4 for _ in range(4)]
    for guess, truth in zip(model(x[:100]).argmax(1), y[:100]):
        table[int(truth)][int(guess)] += 1
    return table


for epoch in range(5):
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f} {confusion(model)}")
