# allows: class-imbalance, loss-plateau
"""A label that csv read as text is compared with a number: never equal, so that all labels are 0."""

import csv
import io

import torch
from torch import nn

torch.manual_seed(0)
sheet = io.StringIO("\n".join(["age,income,bought"] + [f"{20 + i % 40},{i % 7},{int(i % 7 > 3)}" for i in range(160)]))
xs, ys = [], []
for row in csv.DictReader(sheet):
    xs.append([float(row["age"]) / 40 - 1, float(row["income"]) / 7])
    ys.append(1.0 if row["bought"] == 1 else 0.0)  # <- labels-as-strings
x, y = torch.tensor(xs), torch.tensor(ys)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for i in range(0, 160, 16):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[i : i + 16]).squeeze(1), y[i : i + 16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
