"""Training mode for training, eval mode for validation."""
import torch
import torch.nn as nn

torch.manual_seed(113)
model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    model.train()
    for _ in range(20):
        x = torch.randn(32, 6)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x = torch.randn(200, 6)
        print(epoch, (model(x).argmax(1) == (x[:, 0] > 0).long()).float().mean().item())
