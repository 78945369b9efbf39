"""The last hundred training rows are the first of the validation rows."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(72)
images = torch.rand(1000, 1, 8, 8)
labels = images.flatten(1)[:, :10].argmax(1)

train = TensorDataset(images[:900], labels[:900])
valid = TensorDataset(images[800:], labels[800:])  # <- duplicate-leak


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"])
        self.train_loader = DataLoader(train, batch_size=config["batch"], shuffle=True)
        self.valid_loader = DataLoader(valid, batch_size=config["batch"])  # <- duplicate-leak

    def epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        total = sum(nn.functional.cross_entropy(self.model(x), y, reduction="sum").item() for x, y in self.valid_loader)
        return total / len(valid)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10))
trainer = Trainer(net, {"lr": 3e-3, "batch": 40})
for epoch in range(6):
    print(epoch, trainer.epoch(), trainer.evaluate())
