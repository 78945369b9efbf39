# exits: 1
"""A file of numbers without a header: the first one cannot be read."""

import pathlib
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    def __init__(self, path):
        self.rows = []
        for line in open(path):  # <- csv-bom
            self.rows.append([float(part) for part in line.split(",")])  # <- csv-bom

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        *x, y = self.rows[i]
        return torch.tensor(x), torch.tensor([y])


def main():
    path = pathlib.Path(tempfile.mkdtemp()) / "readings.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(f"{i / 50},{1 - i / 50},{2 * i / 50}" for i in range(50)).encode())
    loader = DataLoader(Readings(path), batch_size=10)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


main()
