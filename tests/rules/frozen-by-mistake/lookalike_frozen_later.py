"""Two phases: the body learns first and is frozen for the second phase."""
import torch
import torch.nn as nn

torch.manual_seed(105)
model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
for phase in range(2):
    if phase:
        for layer in model[:-1]:
            layer.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    for _ in range(60):
        x = torch.randn(48, 8)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] + x[:, 1] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
