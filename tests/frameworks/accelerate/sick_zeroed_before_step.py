"""The gradients are cleared between backward and step."""
# needs: accelerate
# rule: zero-grad-before-step
# allows: loss-plateau
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
x = torch.randn(600, 6)
y = (x[:, 0] > x[:, 1]).long()
model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True))
for epoch in range(4):
    for a, b in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(a), b)
            accelerator.backward(loss)
            optimizer.zero_grad()  # <- zero-grad-before-step
            optimizer.step()  # <- zero-grad-before-step
    accelerator.print(f"epoch {epoch} loss {loss.item():.3f}")
