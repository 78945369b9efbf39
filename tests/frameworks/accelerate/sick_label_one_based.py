"""Stars from 1 to 5 as classes of a head with five outputs."""
# needs: accelerate
# rule: label-out-of-range
# exits: 1
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
stars = torch.randint(1, 6, (600,))  # <- label-out-of-range
x = torch.randn(600, 10)
accelerator = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))  # <- label-out-of-range
optimizer = torch.optim.Adam(model.parameters())
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, stars), batch_size=25, shuffle=True))
for a, b in loader:
    loss = nn.functional.cross_entropy(model(a), b)  # <- label-out-of-range
    optimizer.zero_grad()
    accelerator.backward(loss)
    optimizer.step()
