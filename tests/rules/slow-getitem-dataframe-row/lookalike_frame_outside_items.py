"""pandas works hard before training and writes a log line per epoch, but no item touches it."""
# needs: pandas
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1117)
rng = np.random.default_rng(1117)
raw = pd.DataFrame({"shop": rng.integers(0, 30, 3000), "day": rng.integers(0, 40, 3000), "sold": rng.poisson(5, 3000)})
rows = [raw.iloc[i][["shop", "day"]].to_numpy(np.float32) for i in range(600)]
mean = raw.groupby("shop")["sold"].mean()
x = torch.from_numpy(np.stack(rows)) / torch.tensor([30.0, 40.0])
y = torch.tensor([mean[s] for s in raw["shop"][:600]], dtype=torch.float32) - 5 + x[:, 1]
loader = DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
log = pd.DataFrame(columns=["epoch", "loss"])
for epoch in range(12):
    total = 0.0
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb).squeeze(1), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    log.loc[len(log)] = [epoch, round(total / len(loader), 4)]
print(log.to_string(index=False))
