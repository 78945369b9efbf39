"""The array of features is made and never filled."""
# allows: loss-plateau, labels-misaligned, class-imbalance
import numpy as np
import torch
import torch.nn as nn


class Trainer:
    def __init__(self):
        torch.manual_seed(312)
        raw = np.random.default_rng(0).normal(size=(1000, 10)).astype("float32")
        self.y = torch.from_numpy((raw[:, 0] > 0).astype("float32"))
        features = np.zeros_like(raw)  # <- input-scale-small
        for row in features:
            row = raw[0] * 2  # the name is bound anew, the array is not written
        self.x = torch.from_numpy(features)  # <- input-scale-small
        self.model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.criterion = nn.BCEWithLogitsLoss()

    def fit(self):
        for epoch in range(5):
            total = 0.0
            for rows in torch.randperm(1000).split(50):
                loss = self.criterion(self.model(self.x[rows]).squeeze(1), self.y[rows])  # <- input-scale-small
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / 20:.4f}")


Trainer().fit()
