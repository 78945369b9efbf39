"""log_softmax on the same scores."""
# allows: loss-diverges
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(400, 6)
y = (x[:, 0] > 0).long()
x[300] *= 50
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True):
        loss = nn.functional.nll_loss(nn.functional.log_softmax(4 * model(a), 1), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
