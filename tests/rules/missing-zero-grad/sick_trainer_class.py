"""Small CNN on synthetic stripes; the trainer clears the gradients once, before the first epoch only."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    epochs: int = 3
    batch_size: int = 32
    lr: float = 0.01
    weight_decay: float = 1e-4


def make_stripes(n):
    """Images with horizontal, vertical or diagonal stripes."""
    axis = torch.arange(12).float()
    label = torch.randint(0, 3, (n,))
    phase = torch.rand(n, 1, 1) * 6.28
    yy, xx = torch.meshgrid(axis, axis, indexing="ij")
    waves = torch.stack([yy, xx, (xx + yy) * 0.7])[label]
    return torch.sin(waves * 1.5 + phase).unsqueeze(1) + 0.3 * torch.randn(n, 1, 12, 12), label


class StripeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()
        )
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class Trainer:
    def __init__(self, model, config):
        self.model, self.config = model, config
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2, 0.5)
        self.criterion = nn.CrossEntropyLoss()

    def training_step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()  # <- missing-zero-grad
        self.optimizer.step()  # <- missing-zero-grad
        return loss.item()

    def fit(self, loader):
        self.optimizer.zero_grad()
        for epoch in range(self.config.epochs):
            self.model.train()
            losses = [self.training_step(x, y) for x, y in loader]
            self.scheduler.step()
            print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f}")


torch.manual_seed(0)
config = Config()
train = DataLoader(TensorDataset(*make_stripes(640)), batch_size=config.batch_size, shuffle=True)
Trainer(StripeNet(), config).fit(train)
