# exits: 1
"""The file has a mark, which the script takes off by hand; the column that is not found was never there."""

import csv
import io
import pathlib
import tempfile

import torch

path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
path.write_bytes(b"\xef\xbb\xbf" + b"kind,length\n1,0.5\n0,0.3\n")
with open(path, encoding="utf-8") as f:
    text = f.read().lstrip("\ufeff")
rows = list(csv.DictReader(io.StringIO(text)))
x = torch.tensor([float(row["length"]) for row in rows])
y = torch.tensor([int(row["species"]) for row in rows])
