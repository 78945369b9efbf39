"""df.iloc[i] for every sample."""
# needs: pandas
# allows: no-workers-heavy-items
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1101)
rng = np.random.default_rng(1101)
table = pd.DataFrame(rng.normal(size=(2400, 14)), columns=[f"c{i}" for i in range(14)])
table["target"] = table["c0"] - 2 * table["c5"]


class Table(Dataset):
    def __init__(self, frame):
        self.frame = frame
        self.inputs = [c for c in frame.columns if c != "target"]

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, index):
        row = self.frame.iloc[index]  # <- slow-getitem-dataframe-row
        x = torch.tensor(row[self.inputs].values, dtype=torch.float32)  # <- slow-getitem-dataframe-row
        return x, torch.tensor([row["target"]], dtype=torch.float32)  # <- slow-getitem-dataframe-row


loader = DataLoader(Table(table), batch_size=60, shuffle=True)
model = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
