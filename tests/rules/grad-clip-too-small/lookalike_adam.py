"""Adam divides the size out again; and the targets are noise, so the loss stays up."""
import torch
import torch.nn as nn

torch.manual_seed(65)
x, y = torch.randn(640, 8), torch.randn(640, 1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        optimizer.step()
    print(epoch, loss.item())
