"""A curve fitted on [-1, 1] and asked on [-3, 3]: on purpose outside."""
import torch
import torch.nn as nn

torch.manual_seed(365)
x = 2 * torch.rand(600, 1) - 1
y = torch.sin(3 * x) + 0.05 * torch.randn(600, 1)
far = torch.linspace(-3, 3, 200)[:, None]
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(200):
    rows = torch.randint(0, 600, (50,))
    loss = nn.functional.mse_loss(net(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            print(step, loss.item(), nn.functional.mse_loss(net(far), torch.sin(3 * far)).item())
