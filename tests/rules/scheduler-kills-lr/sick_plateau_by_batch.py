"""ReduceLROnPlateau with the loss of every batch."""
# allows: loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(114)
x = torch.randn(1200, 10)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)  # <- scheduler-kills-lr
for epoch in range(8):
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step(loss.item())  # <- scheduler-kills-lr
    print(epoch, loss.item())
