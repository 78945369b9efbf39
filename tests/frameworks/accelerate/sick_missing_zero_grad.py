"""optimizer.zero_grad was forgotten."""
# needs: accelerate
# rule: missing-zero-grad
# allows: loss-diverges, exploding-gradients, loss-plateau, lr-too-high
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
x = torch.randn(800, 10)
y = torch.tanh(x[:, :5]).sum(1, keepdim=True)
accelerator = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True))
for epoch in range(5):
    for a, b in loader:
        loss = nn.functional.mse_loss(model(a), b)
        accelerator.backward(loss)  # <- missing-zero-grad
        optimizer.step()
    accelerator.print(f"epoch {epoch} loss {loss.item():.3f}")
