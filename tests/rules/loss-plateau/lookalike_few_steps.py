"""A smoke test of five steps: far too few to speak of a plateau."""
import torch
import torch.nn as nn

torch.manual_seed(1657)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
x, y = torch.randn(160, 8), torch.randint(0, 2, (160,))
for step, rows in enumerate(torch.arange(160).split(32)):
    loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f}")
