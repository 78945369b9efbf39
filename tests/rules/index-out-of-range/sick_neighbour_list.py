"""A neighbour list counted from 1 selects rows of the node features; in a module, trained by a function."""
# exits: 1
import torch
import torch.nn as nn


class Neighbours(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(2 * dim, 1)

    def forward(self, h, source, target):
        a = torch.index_select(h, 0, source)
        b = torch.index_select(h, 0, target)  # <- index-out-of-range
        return self.fc(torch.cat([a, b], 1)).squeeze(1)


def train():
    torch.manual_seed(2103)
    h = torch.randn(40, 6)
    source, target = torch.randint(0, 40, (300,)), torch.randint(1, 41, (300,))
    target[7] = 40
    weight = torch.rand(300)
    model = Neighbours(6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        loss = nn.functional.mse_loss(model(h, source, target), weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    train()
