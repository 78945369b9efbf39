"""ReduceLROnPlateau on a problem that is solved early."""
import torch
import torch.nn as nn

torch.manual_seed(94)
x = torch.randn(200, 4)
y = x @ torch.tensor([[1.0], [2.0], [0.0], [-1.0]])
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2, factor=0.1)
for epoch in range(120):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step(loss.item())
print(loss.item())
