"""The same pictures, divided once."""
import torch
import torch.nn as nn

torch.manual_seed(313)
base = torch.randint(0, 256, (4, 49)).float()
kinds = torch.randint(0, 4, (1200,))
x = (base[kinds] + 20 * torch.randn(1200, 49)).clamp(0, 255) / 255
model = nn.Sequential(nn.Linear(49, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    total = 0.0
    for rows in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(model(x[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 30:.4f}")
