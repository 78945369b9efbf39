"""Warnings carry the user's line, come as often as without watching, and can be turned into errors."""

import warnings

import torch
from torch import nn

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(3):
        nn.functional.mse_loss(model(torch.ones(4, 2)), torch.zeros(4)).backward()
        scheduler.step()
        optimizer.step()
    nn.MSELoss()(model(torch.ones(4, 2)), torch.zeros(4))
    nn.functional.softmax(torch.ones(3, 3))
    torch.tensor(torch.ones(2))
    nn.Softmax()(torch.ones(2, 2))
    print(model.weight.new_ones(2).requires_grad_().mul(2).grad)
for one in caught:
    print(one.category.__name__, one.filename.rpartition("/")[2], one.lineno, str(one.message).splitlines()[0])
print(len(warnings.filters))
warnings.simplefilter("error")
try:
    nn.functional.l1_loss(model(torch.ones(4, 2)), torch.zeros(4))
except UserWarning as error:
    print("raised", type(error).__name__)
warnings.simplefilter("default")
nn.functional.huber_loss(model(torch.ones(4, 2)), torch.zeros(4))
