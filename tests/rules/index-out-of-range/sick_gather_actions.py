"""Q-values of three actions, and a replay that holds a fourth."""
# exits: 1
import torch
import torch.nn as nn

torch.manual_seed(2101)
net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(60):
    state = torch.randn(32, 4)
    action = torch.randint(0, 4 if step > 20 else 3, (32, 1))
    q = net(state).gather(1, action)  # <- index-out-of-range
    loss = nn.functional.mse_loss(q, state[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
