"""The frame is turned into arrays once, in __init__."""
# needs: pandas
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, frame):
        self.x = frame.drop(columns="target").to_numpy(np.float32).copy()
        self.y = frame["target"].to_numpy(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(1109)
table = pd.DataFrame(np.random.default_rng(1109).normal(size=(1200, 14)), columns=[f"c{i}" for i in range(14)])
table["target"] = table["c0"] - 2 * table["c5"]
loader = DataLoader(Table(table), batch_size=30, shuffle=True)
model = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
