"""One order for both."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(323)
labels = torch.randint(0, 3, (1500,))
samples = torch.randn(3, 16)[labels] + 0.4 * torch.randn(1500, 16)
perm = torch.randperm(1500)
samples, labels = samples[perm], labels[perm]
loader = DataLoader(TensorDataset(samples, labels), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
