"""One optimizer per parameter, stepped and cleared inside backward by a post-accumulate hook."""
import torch
import torch.nn as nn

torch.manual_seed(17)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))
optimizers = {p: torch.optim.Adam([p], lr=3e-3, foreach=False) for p in model.parameters()}


def step_now(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step_now)

x = torch.randn(1024, 12)
y = torch.sin(x[:, :1]) + x[:, 1:2] * x[:, 2:3]
for epoch in range(6):
    total = 0.0
    for xb, yb in zip(x.split(64), y.split(64)):
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 16:.4f}")
