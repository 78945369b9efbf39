"""Pairwise differences (N, 1) - (1, N) are meant: a ranking loss and an embedding that keeps distances."""
import torch
import torch.nn as nn

torch.manual_seed(619)
x = torch.randn(600, 8)
worth = x[:, 0] + 0.5 * x[:, 1].pow(2)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(120):
    rows = torch.randint(0, 600, (30,))
    score = model(x[rows])
    difference = score - score.T
    order = torch.sign(worth[rows].unsqueeze(1) - worth[rows].unsqueeze(0))
    loss = nn.functional.softplus(-order * difference).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} ranking loss {loss.item():.4f}")
