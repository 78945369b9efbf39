"""A long linear warm-up: the first steps are flat because the rate is still tiny, then the loss falls. bf16 autocast."""
import torch
import torch.nn as nn

torch.manual_seed(1693)
y = torch.randint(0, 4, (1200,))
x = torch.randn(4, 16)[y] + 0.5 * torch.randn(1200, 16)
model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step / 120) ** 3))
for step in range(260):
    rows = torch.randint(0, 1200, (40,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 40 == 0:
        print(f"step {step} loss {loss.item():.4f} lr {scheduler.get_last_lr()[0]:.2e}")
