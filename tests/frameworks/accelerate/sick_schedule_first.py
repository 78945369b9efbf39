"""The scheduler steps before the optimizer does."""
# needs: accelerate
# rule: scheduler-before-optimizer
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
kind = torch.randint(0, 4, (800,))
x = torch.randn(4, 10)[kind] + 0.7 * torch.randn(800, 10)
accelerator = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=80)
loader = DataLoader(TensorDataset(x, kind), batch_size=40, shuffle=True)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
for epoch in range(4):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        accelerator.backward(loss)
        scheduler.step()  # <- scheduler-before-optimizer
        optimizer.step()  # <- scheduler-before-optimizer
    accelerator.print(loss.item())
