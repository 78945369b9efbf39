"""Training with gradients, validation without, every epoch and also in the middle of one."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    model.train()
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(419)
    centers = torch.randn(4, 12)
    y = torch.randint(0, 4, (1000,))
    x = centers[y] + torch.randn(1000, 12)
    train = DataLoader(TensorDataset(x[:800], y[:800]), batch_size=40, shuffle=True)
    test = DataLoader(TensorDataset(x[800:], y[800:]), batch_size=100)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(5):
        total = 0.0
        for i, (xb, yb) in enumerate(train):
            loss = nn.functional.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            if i == 10:
                evaluate(model, test)
        print(f"epoch {epoch} loss {total / len(train):.4f} accuracy {evaluate(model, test):.3f}")


main()
