# allows: class-imbalance, loss-plateau, target-range
"""Asked with ``get``, the column that the mark has renamed is silently not there: every label is the default."""

import csv
import pathlib
import tempfile

import torch
from torch import nn

path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
torch.manual_seed(0)
path.write_bytes(b"\xef\xbb\xbf" + "\n".join(["clicked,a,b"] + [f"{i % 2},{i % 2 + 0.01 * i},{0.02 * i}" for i in range(100)]).encode())
with open(path, encoding="utf8", newline="") as f:  # <- csv-bom
    rows = [(float(row["a"]), float(row["b"]), float(row.get("clicked", 0))) for row in csv.DictReader(f)]  # <- csv-bom
data = torch.tensor(rows)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(10):
    for batch in data.split(20):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch[:, :2]).squeeze(1), batch[:, 2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
