"""Valve state from vibration features; zero_grad has slipped between backward and step."""
# expects-under: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(31)
state = torch.randint(0, 4, (1280,))
features = 0.2 * torch.randn(4, 20)[state] + 0.15 * torch.randn(1280, 20)
loader = DataLoader(TensorDataset(features, state), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(5):
    epoch_loss = 0.0
    for x, y in loader:
        output = model(x)
        loss = criterion(output, y)
        loss.backward()
        optimizer.zero_grad()  # <- zero-grad-before-step
        optimizer.step()
        epoch_loss += loss.item()
    print(f"Epoch {epoch}: {epoch_loss / len(loader):.4f}")
