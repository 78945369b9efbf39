"""A brisk rate that swings at first and then learns."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
centres = 2 * torch.randn(5, 10)
labels = torch.randint(0, 5, (800,))
loader = DataLoader(TensorDataset(centres[labels] + torch.randn(800, 10), labels), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
for epoch in range(6):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f}")
