"""A trainer that builds its optimizer and then its model anew."""
# allows: loss-plateau, zero-grad-before-step
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def make_model(width):
    return nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, 1))


class Trainer:
    def __init__(self):
        torch.manual_seed(22)
        self.model = make_model(16)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)  # <- optimizer-stale-params

    def resize(self, width):
        self.model = make_model(width)  # <- optimizer-stale-params

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            for x, y in loader:
                loss = nn.functional.mse_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


trainer = Trainer()
trainer.resize(32)
x = torch.randn(400, 5)
trainer.fit(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20, shuffle=True), 4)
