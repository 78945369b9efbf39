"""The mark is taken off by the encoding."""

import csv
import pathlib
import tempfile

import torch
from torch import nn

path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
torch.manual_seed(0)
path.write_bytes(b"\xef\xbb\xbf" + "\n".join(["kind,length"] + [f"{i % 2},{i % 2 + 0.1 * (i % 7):.2f}" for i in range(120)]).encode())
with open(path, encoding="utf-8-sig", newline="") as f:
    rows = [(float(row["length"]), int(row["kind"])) for row in csv.DictReader(f)]
x, y = torch.tensor([[row[0]] for row in rows]), torch.tensor([row[1] for row in rows])
model = nn.Linear(1, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(40):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
