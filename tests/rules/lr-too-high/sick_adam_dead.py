"""Adam at 5.0: the first steps kill the units, the loss sits at ln 5."""
# allows: loss-plateau, dead-relu, loss-diverges, exploding-gradients
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
centres = 3 * torch.randn(5, 10)
labels = torch.randint(0, 5, (800,))
loader = DataLoader(TensorDataset(centres[labels] + torch.randn(800, 10), labels), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=5.0)  # <- lr-too-high
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f}")
