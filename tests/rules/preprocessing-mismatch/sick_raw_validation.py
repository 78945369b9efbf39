"""The training set is standardised, the validation set is given raw."""
# allows: missing-eval-mode, overfitting
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(361)
kind = torch.randint(0, 3, (1500,))
raw = 40 + 12 * (torch.randn(3, 10)[kind] + 0.4 * torch.randn(1500, 10))  # <- preprocessing-mismatch
train_x, valid_x = raw[:1200], raw[1200:]  # <- preprocessing-mismatch
train_x = (train_x - train_x.mean(0)) / train_x.std(0)
train = DataLoader(TensorDataset(train_x, kind[:1200]), batch_size=40, shuffle=True)
valid = DataLoader(TensorDataset(valid_x, kind[1200:]), batch_size=100)  # <- preprocessing-mismatch
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in valid)  # <- preprocessing-mismatch
    print(f"epoch {epoch} loss {loss.item():.4f} accuracy {right / 300:.3f}")
