"""Convolution blocks appended to a list attribute, inside a trainer."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ConvStack(nn.Module):
    def __init__(self, channels=(1, 8, 16), classes=4):
        super().__init__()
        self.blocks = []  # <- params-not-registered
        for cin, cout in zip(channels[:-1], channels[1:]):
            self.blocks.append(nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)))  # <- params-not-registered
        self.fc = nn.Linear(channels[-1] * 4, classes)

    def forward(self, x):
        for block in self.blocks:  # <- params-not-registered
            x = block(x)  # <- params-not-registered
        return self.fc(x.flatten(1))


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=1e-3)  # <- params-not-registered
        self.loss_fn = nn.CrossEntropyLoss()

    def run(self, epochs):
        for epoch in range(1, epochs + 1):
            losses = []
            for images, labels in self.loader:
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model(images), labels)
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
            print(f"Epoch {epoch}: {sum(losses) / len(losses):.4f}")


torch.manual_seed(207)
prototypes = torch.randn(4, 1, 8, 8)
label = torch.randint(0, 4, (640,))
images = prototypes[label] + 0.8 * torch.randn(640, 1, 8, 8)
Trainer(ConvStack(), DataLoader(TensorDataset(images, label), batch_size=32, shuffle=True)).run(4)
