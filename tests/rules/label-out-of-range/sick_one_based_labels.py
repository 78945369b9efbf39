"""Labels 1..5 for five classes: the fifth is out of range."""
# exits: 1
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(801)
stars = torch.randint(1, 6, (600,))  # <- label-out-of-range
x = torch.randn(6, 10)[stars] + 0.5 * torch.randn(600, 10)
loader = DataLoader(TensorDataset(x, stars), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))  # <- label-out-of-range
criterion = nn.CrossEntropyLoss()  # <- label-out-of-range
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb in loader:
        out = model(xb)
        loss = criterion(out, yb)  # <- label-out-of-range
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
