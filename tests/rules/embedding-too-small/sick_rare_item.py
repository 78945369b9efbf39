"""Recommender: item ids run up to the largest id, which comes late; the right one of two tables must be named."""
# exits: 1
import torch
import torch.nn as nn
import torch.nn.functional as F


class MatrixFactorization(nn.Module):
    def __init__(self, n_users, n_items, dim=8):
        super().__init__()
        self.users = nn.Embedding(n_users, dim)
        self.items = nn.Embedding(n_items, dim)  # <- embedding-too-small
        self.bias = nn.Embedding(n_items + 5, 1)

    def forward(self, user, item):
        u = self.users(user)
        i = self.items(item)  # <- embedding-too-small
        return (u * i).sum(1) + self.bias(item).squeeze(1)


def train():
    torch.manual_seed(703)
    user = torch.randint(0, 50, (1000,))
    item = torch.randint(0, 80, (1000,))
    item[777] = 80
    rating = torch.randn(51)[user] + torch.randn(81)[item]
    model = MatrixFactorization(n_users=50, n_items=item.unique().numel() - 1)  # <- embedding-too-small
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for start in range(0, 1000, 20):
        rows = slice(start, start + 20)
        loss = F.mse_loss(model(user[rows], item[rows]), rating[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if start % 200 == 0:
            print(f"row {start} loss {loss.item():.4f}")


if __name__ == "__main__":
    train()
