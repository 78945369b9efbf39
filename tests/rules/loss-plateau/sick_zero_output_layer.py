"""All layers start at zero, nothing moves but the last bias: the loss stays at ln 4. Trainer class."""
# accepts: zero-init, constant-init
# allows: dead-relu
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(10, 32), nn.Linear(32, 32), nn.Linear(32, 4)
        for parameter in self.parameters():  # <- loss-plateau
            nn.init.zeros_(parameter)  # <- loss-plateau

    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        self.criterion = nn.CrossEntropyLoss()

    def step(self, x, y):
        loss = self.criterion(self.model(x), y)  # <- loss-plateau
        self.optimizer.zero_grad()
        loss.backward()  # <- loss-plateau
        self.optimizer.step()
        return loss.item()


torch.manual_seed(1607)
y = torch.arange(1600) % 4
x = torch.randn(4, 10)[y] + 0.3 * torch.randn(1600, 10)
trainer = Trainer(Net())
for epoch in range(5):
    losses = [trainer.step(x[rows], y[rows]) for rows in torch.randperm(1600).split(40)]
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f}")
