"""A trainer class that prepares its model in eval mode."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


class Trainer:
    def __init__(self, model):
        self.model = model.eval()  # <- eval-mode-in-training
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step(self):
        y = torch.randint(0, 2, (24,))
        x = torch.randn(24, 1, 8, 8) + y.float()[:, None, None, None]
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(112)
trainer = Trainer(Net())
for _ in range(60):
    last = trainer.step()
print(last)
