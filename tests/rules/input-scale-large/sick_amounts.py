"""Raw amounts and years as features of a regression: the loss is no number after a few steps."""
# allows: lr-too-high, loss-diverges, exploding-gradients
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 32)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        return self.head(torch.relu(self.hidden(x))).squeeze(1)


def train():
    torch.manual_seed(302)
    income = 30_000 + 20_000 * torch.rand(900)
    year = 1980 + 40 * torch.rand(900)
    rooms, area = 1 + 5 * torch.rand(900), 30 + 120 * torch.rand(900)
    table = torch.stack([income, year, rooms, area], 1)  # <- input-scale-large
    price = (income / 50_000 + (year - 2000) / 40 + area / 150) + 0.05 * torch.randn(900)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(120):
        rows = torch.randint(0, 900, (50,))
        loss = nn.functional.mse_loss(model(table[rows]), price[rows])  # <- input-scale-large
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(step, loss.item())


train()
