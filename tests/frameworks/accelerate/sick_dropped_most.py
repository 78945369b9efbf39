"""Dropout with 0.95 in a mixed training loop with a schedule."""
# needs: accelerate
# rule: dropout-p-inverted
# allows: loss-plateau
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build(keep):
    return nn.Sequential(nn.Linear(14, 60), nn.ReLU(), nn.Dropout(keep), nn.Linear(60, 60), nn.ReLU(), nn.Dropout(keep), nn.Linear(60, 4))  # <- dropout-p-inverted


torch.manual_seed(12)
y = torch.randint(0, 4, (800,))
x = torch.randn(4, 14)[y] + 0.8 * torch.randn(800, 14)
accelerator = Accelerator(cpu=True)
model = build(0.95)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 120)
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
for epoch in range(6):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
    accelerator.print(loss.item())
