# needs: pandas
"""pandas takes the mark off by itself."""

import pathlib
import tempfile

import pandas as pd
import torch
from torch import nn

path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
torch.manual_seed(0)
path.write_bytes(b"\xef\xbb\xbf" + "\n".join(["kind,length"] + [f"{i % 2},{i % 2 + 0.1 * (i % 7):.2f}" for i in range(120)]).encode())
table = pd.read_csv(path)
x = torch.tensor(table[["length"]].values, dtype=torch.float32)
y = torch.tensor(table["kind"].values)
model = nn.Linear(1, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(40):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
