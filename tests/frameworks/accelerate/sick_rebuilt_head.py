"""The head is replaced after the optimizer was built and prepared."""
# needs: accelerate
# rule: optimizer-stale-params
# accepts: optimizer-missing-params
# allows: loss-plateau
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(5)
accelerator = Accelerator(cpu=True)
kind = torch.randint(0, 3, (600,))
x = torch.randn(3, 8)[kind] + 0.5 * torch.randn(600, 8)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <- optimizer-stale-params
model.head = nn.Linear(32, 3)  # <- optimizer-stale-params
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(TensorDataset(x, kind), batch_size=20, shuffle=True))
for epoch in range(3):
    for a, b in loader:
        loss = nn.functional.cross_entropy(model(a), b)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(loss.item())
