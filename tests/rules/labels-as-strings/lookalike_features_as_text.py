# exits: 1
"""Measurements that stayed text: a table is at fault, not the labels."""

import csv
import io

import torch

sheet = io.StringIO("\n".join(["length,width,kind"] + [f"{i / 7:.2f},{i / 9:.2f},{i % 2}" for i in range(40)]))
rows = list(csv.reader(sheet))[1:]
features = [row[:2] for row in rows]
labels = [int(row[2]) for row in rows]
x = torch.tensor(features)
y = torch.tensor(labels)
