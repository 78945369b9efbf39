"""After the optimizer: per batch and per epoch, plain and in sequence."""
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, MultiStepLR, SequentialLR

torch.manual_seed(43)
x = torch.randn(640, 8)
y = x[:, :4].argmax(1)
for per_batch in (True, False):
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    if per_batch:
        scheduler = SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=10), CosineAnnealingLR(optimizer, 90)], [10])
    else:
        scheduler = MultiStepLR(optimizer, [3, 4])
    for epoch in range(5):
        for rows in torch.randperm(640).split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            if per_batch:
                scheduler.step()
        if not per_batch:
            scheduler.step()
    print(loss.item())
