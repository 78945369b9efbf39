"""The gradients are clipped before backward writes them."""
# needs: accelerate
# rule: grad-clip-misplaced
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
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, kind), batch_size=40, shuffle=True))
for epoch in range(4):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)  # <- grad-clip-misplaced
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(loss.item())
