"""A bound of 1e-4 on the norm, with SGD."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn

torch.manual_seed(61)
x = torch.randn(800, 10)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(6):
    for rows in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-4)  # <- grad-clip-too-small
        optimizer.step()
    print(epoch, loss.item())
