"""Half of the gradients are zero in float16, and in float32 too: inactive units."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(640, 20)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for start in range(0, 640, 8):
        with torch.autocast("cpu", dtype=torch.float16):
            scores = model(x[start : start + 8])
        loss = nn.functional.cross_entropy(scores.float(), y[start : start + 8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
