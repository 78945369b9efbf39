# exits: 1
"""One class more than one_hot is told."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, kinds = torch.randn(60, 4), torch.randint(0, 4, (60,))
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch, kind in DataLoader(TensorDataset(x, kinds), batch_size=10):
    target = nn.functional.one_hot(kind, num_classes=3).float()  # <- index-out-of-range
    loss = nn.functional.mse_loss(model(batch).softmax(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
