"""A checkpoint of a DataParallel model, loaded without strict."""
# allows: loss-plateau
import io

import torch
import torch.nn as nn

torch.manual_seed(31)


def make():
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))


saved = io.BytesIO()
torch.save({f"module.{name}": value for name, value in make().state_dict().items()}, saved)
saved.seek(0)
model = make()
model.load_state_dict(torch.load(saved), strict=False)  # <- weights-not-loaded
x = torch.randn(600, 6)
y = x[:, :3].argmax(1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for rows in torch.randperm(600).split(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
