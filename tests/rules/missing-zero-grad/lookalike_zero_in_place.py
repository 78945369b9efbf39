"""zero_grad(set_to_none=False) at the end of each iteration: the gradients exist at backward, but are zero."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fit(model, loader, epochs):
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    criterion = nn.L1Loss()
    for epoch in range(epochs):
        for x, y in loader:
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
        print(f"epoch {epoch} last loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(6)
    inputs = torch.randn(800, 6)
    outputs = torch.stack([inputs[:, 0] - inputs[:, 1], inputs[:, 2].abs()], 1)
    fit(nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 2)), DataLoader(TensorDataset(inputs, outputs), 40, shuffle=True), 6)
