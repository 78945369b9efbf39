"""AdamW in a class, with a decay that was meant to be a rate."""
# allows: loss-plateau
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), **config)  # <- weight-decay-too-large

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy_with_logits(self.model(x).squeeze(1), y)
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


torch.manual_seed(52)
x = torch.randn(800, 8)
y = (x[:, 0] * x[:, 1] > 0).float()
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
Trainer(model, {"lr": 1e-3, "weight_decay": 50.0}).fit(DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True), 6)
