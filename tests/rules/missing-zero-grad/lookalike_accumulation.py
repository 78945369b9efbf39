"""Gradient accumulation over four micro-batches, with a smaller last group."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 4


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)

    def train_epoch(self):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        seen = 0.0
        for index, (x, y) in enumerate(self.loader):
            loss = nn.functional.cross_entropy(self.model(x), y) / ACCUMULATE
            loss.backward()
            seen += loss.item() * ACCUMULATE
            if (index + 1) % ACCUMULATE == 0 or index + 1 == len(self.loader):
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
        return seen / len(self.loader)


torch.manual_seed(8)
centers = torch.randn(6, 24)
label = torch.randint(0, 6, (1040,))
data = TensorDataset(centers[label] + 0.7 * torch.randn(1040, 24), label)
trainer = Trainer(nn.Sequential(nn.Linear(24, 48), nn.Tanh(), nn.Linear(48, 6)), DataLoader(data, batch_size=10, shuffle=True))
for epoch in range(6):
    print(f"epoch {epoch} loss {trainer.train_epoch():.4f}")
