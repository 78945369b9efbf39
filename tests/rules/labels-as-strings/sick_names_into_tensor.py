# exits: 1
"""Class names go into a tensor."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
records = [{"size": i % 3 + 0.1 * (i % 4), "kind": ["small", "middle", "large"][i % 3]} for i in range(90)]


def prepare(records):
    sizes = torch.tensor([[r["size"]] for r in records])
    kinds = [r["kind"] for r in records]  # <- labels-as-strings
    return TensorDataset(sizes, torch.tensor(kinds))  # <- labels-as-strings


model = nn.Linear(1, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(prepare(records), batch_size=10):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
