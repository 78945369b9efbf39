"""A backbone that was trained, saved and loaded is frozen under a new head."""
import io

import torch
import torch.nn as nn

torch.manual_seed(104)


def fit(model, label, steps):
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    for _ in range(steps):
        x = torch.randn(48, 8)
        loss = nn.functional.cross_entropy(model(x), label(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


def body():
    return nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())


first = nn.Sequential(body(), nn.Linear(48, 2))
fit(first, lambda x: (x[:, 0] + x[:, 1] > 0).long(), 60)
file = io.BytesIO()
torch.save(first[0].state_dict(), file)
file.seek(0)
backbone = body()
backbone.load_state_dict(torch.load(file))
for parameter in backbone.parameters():
    parameter.requires_grad = False
fit(nn.Sequential(backbone, nn.Linear(48, 2)), lambda x: (x[:, 0] > 0).long(), 60)
