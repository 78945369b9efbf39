"""A plain list of layers at module level, but their parameters are handed to the optimizer."""
import torch
import torch.nn as nn

torch.manual_seed(219)
layers = [nn.Linear(6, 32), nn.Linear(32, 32), nn.Linear(32, 1)]
params = [p for layer in layers for p in layer.parameters()]
optimizer = torch.optim.Adam(params, lr=5e-3)


def forward(x):
    for layer in layers[:-1]:
        x = torch.tanh(layer(x))
    return layers[-1](x)


x = torch.randn(800, 6)
y = torch.sin(2 * x[:, :1]) + x[:, 1:2]
for epoch in range(6):
    total = 0.0
    for xb, yb in zip(x.split(40), y.split(40)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(forward(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 20:.4f}")
