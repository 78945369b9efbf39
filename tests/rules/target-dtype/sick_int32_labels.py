"""int32 labels from numpy."""
# exits: 1
import numpy as np
import torch
from torch import nn

torch.manual_seed(691)
rng = np.random.default_rng(691)
x = rng.normal(size=(200, 5)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int32)
model = nn.Linear(5, 2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(0, 200, 20):
    inputs, labels = torch.from_numpy(x[i : i + 20]), torch.from_numpy(y[i : i + 20])
    loss = criterion(model(inputs), labels)  # <- target-dtype
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
