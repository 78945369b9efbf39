"""Weighted absolute error by hand: torch.abs of a broadcast difference."""
import torch
import torch.nn as nn

torch.manual_seed(613)
x = torch.randn(700, 6)
dose = (x[:, 0].abs() + x[:, 1]).float()
weight = torch.where(dose > 1, 2.0, 1.0)
model = nn.Sequential(nn.Linear(6, 40), nn.SiLU(), nn.Linear(40, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for step in range(120):
    rows = torch.randint(0, 700, (36,))
    output = model(x[rows])
    loss = torch.mean(torch.abs(output - dose[rows]) * weight[rows])  # <- broadcast-loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
