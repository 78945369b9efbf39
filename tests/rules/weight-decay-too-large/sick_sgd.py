"""A decay of one half with SGD."""
# allows: loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(51)
x = torch.randn(800, 10)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.5)  # <- weight-decay-too-large
for epoch in range(6):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
