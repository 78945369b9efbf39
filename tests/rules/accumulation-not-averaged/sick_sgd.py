"""A rate that is fine for one batch, with sixteen summed."""
# allows: lr-too-high, loss-plateau, loss-diverges, dead-relu
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)
x = torch.randn(1600, 12)
y = (x[:, :4].sum(1) > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(6):
    total = 0.0
    for i, (xb, yb) in enumerate(loader):
        loss = criterion(model(xb), yb)  # <- accumulation-not-averaged
        loss.backward()  # <- accumulation-not-averaged
        if (i + 1) % 20 == 0:
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item()
    print(epoch, total / len(loader))
