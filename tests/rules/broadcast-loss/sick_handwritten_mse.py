"""The squared error is written out; the subtraction broadcasts to (N, N)."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    def loss(self, prediction, target):
        error = prediction - target  # <- broadcast-loss
        return (error**2).mean()

    def fit(self, x, y, epochs):
        for epoch in range(epochs):
            total = 0.0
            for rows in torch.randperm(len(x)).split(32):
                loss = self.loss(self.model(x[rows]), y[rows])  # <- broadcast-loss
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / (len(x) // 32):.4f}")


torch.manual_seed(607)
images = torch.rand(640, 1, 8, 8)
brightness = images.mean((1, 2, 3)) * 10
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 1))
Trainer(model).fit(images, brightness, 4)
