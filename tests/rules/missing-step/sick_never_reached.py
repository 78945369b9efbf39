"""Accumulation whose counter starts anew at every batch: the step stands there and is not reached."""
# allows: loss-plateau, accumulation-zeroed
import torch
import torch.nn as nn

torch.manual_seed(3)
x = torch.randn(640, 8)
y = (x[:, 0] > 0).float()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
every = 4
for epoch in range(5):
    for rows in torch.randperm(640).split(40):
        count = 0
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows]) / every
        loss.backward()  # <- missing-step
        count += 1
        if count == every:
            optimizer.step()  # <- missing-step
            optimizer.zero_grad()
    print(epoch, loss.item() * every)
