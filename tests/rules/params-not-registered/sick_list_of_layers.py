"""Hidden layers are kept in a plain Python list."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(201)


class DeepRegressor(nn.Module):
    def __init__(self, inputs, width, depth):
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.hidden = [nn.Linear(width, width) for _ in range(depth)]  # <- params-not-registered
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        for layer in self.hidden:  # <- params-not-registered
            x = torch.relu(layer(x))  # <- params-not-registered
        return self.last(x)


x = torch.randn(1000, 8)
y = (x[:, 0] * x[:, 1] + x[:, 2]).unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model = DeepRegressor(8, 32, 3)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)  # <- params-not-registered
for epoch in range(4):
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
