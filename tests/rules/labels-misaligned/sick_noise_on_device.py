"""Labels that no input tells, from a loader that shuffles, moved to a device on the model's line: nothing in the text is out of order."""
# allows: loss-plateau

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
device = torch.device("cpu")
x = torch.randn(1600, 12)
y = torch.randint(0, 5, (1600,))
loader = DataLoader(TensorDataset(x, y), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 5)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for inputs, labels in loader:
        loss = criterion(model(inputs.to(device)), labels.to(device))  # <- labels-misaligned
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
