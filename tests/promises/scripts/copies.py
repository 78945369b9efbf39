"""Pickle, deepcopy and save of modules, optimizers, schedulers, loaders and data sets, before, between and after steps."""

import copy
import hashlib
import io
import pickle

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 2)])
        self.tied = self.layers[0].weight

    def forward(self, x):
        return self.layers[1](torch.relu(self.layers[0](x)))


def name(data):
    return hashlib.sha256(data).hexdigest()[:20]


def show(what, value):
    print(what, len(pickle.dumps(value)))  # the content holds addresses
    buffer = io.BytesIO()
    torch.save(value, buffer)
    print(what, "saved", len(buffer.getvalue()), name(buffer.getvalue()))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randint(0, 2, (24,))), batch_size=6)
for _epoch in range(3):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    show("model", model)
    show("optimizer", optimizer)
    show("scheduler", scheduler.state_dict())
    show("loader", loader.dataset)
    twin, twin_optimizer = copy.deepcopy((model, optimizer))
    print("tied", twin.tied is twin.layers[0].weight, twin_optimizer.param_groups[0]["params"][0] is twin.layers[0].weight)
    twin_loss = nn.functional.cross_entropy(twin(x), y)
    twin_optimizer.zero_grad()
    twin_loss.backward()
    twin_optimizer.step()
    show("twin", twin)
    restored = pickle.loads(pickle.dumps(optimizer))
    print("restored", type(restored).__name__, sorted(vars(restored)))
    print("groups", restored.state_dict()["param_groups"] == optimizer.state_dict()["param_groups"])
    print(repr(model), repr(optimizer).count("\n"), sorted(model.state_dict()))
