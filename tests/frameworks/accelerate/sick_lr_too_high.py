"""Adam at 5.0."""
# needs: accelerate
# rule: lr-too-high
# allows: loss-plateau, dead-relu, loss-diverges, exploding-gradients
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
accelerator = Accelerator(cpu=True)
labels = torch.randint(0, 5, (800,))
x = torch.randn(800, 10) + torch.randn(5, 10)[labels]
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=5.0)  # <- lr-too-high
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, labels), batch_size=50, shuffle=True))
for epoch in range(10):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(f"epoch {epoch} loss {loss.item():.3f}")
