"""A preparation that divides by far too much makes all inputs alike: the network answers with the prior of the labels."""
# accepts: input-scale-small
# allows: class-imbalance
import torch
import torch.nn as nn
import torch.nn.functional as F


def prepare(x):
    return (x - x.mean(0)) / (x.std(0) * 1e9)  # <- loss-plateau, input-scale-small


def train(epochs=6):
    torch.manual_seed(1603)
    kind = torch.distributions.Categorical(torch.tensor([0.5, 0.3, 0.2])).sample((1500,))
    x = prepare(torch.randn(3, 8)[kind] + 0.3 * torch.randn(1500, 8))  # <- loss-plateau, input-scale-small
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(1500).split(50):
            loss = F.cross_entropy(model(x[rows]), kind[rows])  # <- loss-plateau
            optimizer.zero_grad()
            loss.backward()  # <- loss-plateau
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / 30:.4f}")


if __name__ == "__main__":
    train()
