"""The probability of a click, used as such: it never comes near one half, and tells the shown from one another."""
import torch
import torch.nn as nn

torch.manual_seed(345)
x = torch.randn(6000, 6)
rate = torch.sigmoid(1.3 * x[:, 0] + 0.9 * x[:, 1] - 3.6)
y = torch.bernoulli(rate)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(4):
    total = 0.0
    for rows in torch.randperm(6000).split(100):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        estimate = torch.sigmoid(model(x).squeeze(1))
    print(f"epoch {epoch} log loss {total / 60:.4f} correlation {torch.corrcoef(torch.stack([estimate, rate]))[0, 1].item():.3f}")
