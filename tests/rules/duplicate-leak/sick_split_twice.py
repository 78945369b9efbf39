"""The split is drawn a second time for the validation set, with another seed."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(70)
x = torch.randn(1000, 10)
y = (x @ torch.randn(10, 3) + 0.5 * torch.randn(1000, 3)).argmax(1)
data = TensorDataset(x, y)


def make_loaders(batch_size=50):
    train, _ = random_split(data, [800, 200], generator=torch.Generator().manual_seed(0))
    _, valid = random_split(data, [800, 200], generator=torch.Generator().manual_seed(1))  # <- duplicate-leak
    return DataLoader(train, batch_size, shuffle=True), DataLoader(valid, batch_size)  # <- duplicate-leak


train_loader, valid_loader = make_loaders()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(8):
    model.train()
    for a, b in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
    model.eval()
    right = 0
    with torch.no_grad():
        for a, b in valid_loader:
            right += (model(a).argmax(1) == b).sum().item()  # <- duplicate-leak
    print(f"epoch {epoch} loss {loss.item():.3f} validation accuracy {right / 200:.3f}")
