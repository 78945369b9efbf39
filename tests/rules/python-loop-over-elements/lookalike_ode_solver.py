"""A neural ODE with twenty Runge-Kutta steps, and a short rollout of a physical model: sequential by nature."""
import torch
import torch.nn as nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, y):
        return self.net(y)


def integrate(f, y, steps, h):
    path = [y]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(y)
    return torch.stack(path)


torch.manual_seed(953)
A = torch.tensor([[-0.1, 1.0], [-1.0, -0.1]])
start = torch.randn(64, 2)
truth = integrate(lambda y: y @ A.T, start, 20, 0.1)
field = Field()
optimizer = torch.optim.Adam(field.parameters(), lr=0.01)
for step in range(50):
    loss = nn.functional.mse_loss(integrate(field, start, 20, 0.1), truth)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
