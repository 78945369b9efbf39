"""A script: cleared at the top, step, then backward: no gradient ever reaches a step."""
# allows: zero-grad-before-step, loss-plateau
import torch
import torch.nn as nn

torch.manual_seed(71)
inputs = torch.randn(500, 7)
targets = (inputs[:, :2].sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(7, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(6):
    for start in range(0, 500, 50):
        x, y = inputs[start : start + 50], targets[start : start + 50]
        optimizer.zero_grad()  # <- step-before-backward
        loss = criterion(model(x), y)
        optimizer.step()  # <- step-before-backward
        loss.backward()  # <- step-before-backward
    print(epoch, loss.item())
