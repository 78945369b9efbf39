"""The loss of a value function whose targets grow: twice its start at the end, and no fault."""
import torch
import torch.nn as nn

torch.manual_seed(335)
states = torch.randn(1000, 6)
value = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(value.parameters(), lr=2e-2)
for step in range(150):
    rows = torch.randint(0, 1000, (50,))
    returns = (1 + step / 50) * states[rows, :1] + 0.8 * torch.randn(50, 1) * (1 + step / 100)
    loss = nn.functional.mse_loss(value(states[rows]), returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(step, loss.item())
