# exits: 1
"""A sheet exported with a byte-order mark: the column is there, and is not found."""

import csv
import pathlib
import tempfile

import torch
from torch import nn

folder = pathlib.Path(tempfile.mkdtemp())
path = folder / "flowers.csv"
torch.manual_seed(0)
lines = ["kind;length;width"] + [f"{i % 2};{i % 2 + 0.1 * (i % 7):.2f};{1 - i % 2 + 0.1 * (i % 5):.2f}" for i in range(120)]
path.write_bytes(b"\xef\xbb\xbf" + "\n".join(lines).encode())


def load(path):
    xs, ys = [], []
    with open(path, encoding="utf-8") as f:  # <- csv-bom
        for row in csv.DictReader(f, delimiter=";"):
            xs.append([float(row["length"]), float(row["width"])])
            ys.append(int(row["kind"]))  # <- csv-bom
    return torch.tensor(xs), torch.tensor(ys)


x, y = load(path)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
