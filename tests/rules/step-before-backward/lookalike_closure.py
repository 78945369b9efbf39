"""LBFGS runs forward and backward inside its step."""
import torch
import torch.nn as nn

torch.manual_seed(74)
x = torch.linspace(-2, 2, 120).unsqueeze(1)
y = torch.sin(2 * x)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for _ in range(12):
    print(optimizer.step(closure).item())
