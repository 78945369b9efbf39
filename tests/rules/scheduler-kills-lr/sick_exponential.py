"""An exponential decay of 0.8 a step, inside a training function."""
# allows: loss-plateau, lr-too-low
import torch
import torch.nn as nn


def train(model, optimizer, schedule, steps):
    for _ in range(steps):
        x = torch.rand(48, 3)
        y = (x * torch.tensor([3.0, -2.0, 1.0])).sum(1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()  # <- scheduler-kills-lr
    return loss.item()


torch.manual_seed(92)
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
print(train(model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8), 160))  # <- scheduler-kills-lr
