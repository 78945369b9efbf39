"""Fabric: a loop of one's own in bfloat16, two micro-batches a step, clipping and checkpoints."""
# needs: lightning
import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

fabric = Fabric(accelerator="cpu", precision="bf16-mixed")
fabric.launch()
fabric.seed_everything(2)
centres = torch.randn(5, 10)
kind = torch.randint(0, 5, (1000,))
x = centres[kind] + torch.randn(1000, 10)
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Dropout(0.2), nn.Linear(40, 5))
model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters(), lr=3e-3))
train = fabric.setup_dataloaders(DataLoader(TensorDataset(x[:800], kind[:800]), batch_size=32, shuffle=True))
val = fabric.setup_dataloaders(DataLoader(TensorDataset(x[800:], kind[800:]), batch_size=100))
for epoch in range(5):
    model.train()
    for i, (a, b) in enumerate(train):
        with fabric.no_backward_sync(model, enabled=i % 2 == 0):
            loss = nn.functional.cross_entropy(model(a), b) / 2
            fabric.backward(loss)
        if i % 2:
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.cross_entropy(model(a), b) for a, b in val]
    fabric.print(f"epoch {epoch} loss {torch.stack(losses).mean().item():.3f}")
    fabric.save("state.ckpt", {"model": model, "optimizer": optimizer, "epoch": epoch})
