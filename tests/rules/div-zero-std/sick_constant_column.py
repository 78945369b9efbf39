"""A column that never changes, divided by its standard deviation before the training."""
# allows: loss-diverges, nan-in-data
import torch
import torch.nn as nn

torch.manual_seed(0)
raw = torch.rand(400, 8)
raw[:, 5] = 1.0
spread = raw.std(0)
x = (raw - raw.mean(0)) / spread  # <- div-zero-std
y = (raw[:, 0] > 0.5).float()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for start in range(0, 400, 40):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[start : start + 40]).squeeze(1), y[start : start + 40])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
