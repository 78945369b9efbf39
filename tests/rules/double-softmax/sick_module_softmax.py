"""A softmax module at the end of a CNN, nn.CrossEntropyLoss after it."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(501)


class LeNet(nn.Module):
    def __init__(self, classes=8):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 12, 3), nn.ReLU())
        self.classifier = nn.Linear(108, classes)
        self.softmax = nn.Softmax(dim=1)  # <- double-softmax

    def forward(self, x):
        x = self.features(x).flatten(1)
        return self.softmax(self.classifier(x))  # <- double-softmax


patterns = torch.randn(8, 1, 10, 10)
label = torch.randint(0, 8, (960,))
loader = DataLoader(TensorDataset(patterns[label] + 0.7 * torch.randn(960, 1, 10, 10), label), batch_size=32, shuffle=True)
model = LeNet()
criterion = nn.CrossEntropyLoss()  # <- double-softmax
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)  # <- double-softmax
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
