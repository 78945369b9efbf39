"""Records of models evaluated on rows that they were trained on, and of such as only look so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import scenario

PARTS = """
import torch
from torch.utils.data import DataLoader, random_split

data = torch.load("rows.pt")
train, _ = random_split(data, [800, 200])
_, valid = random_split(data, [800, 200])
train_loader = DataLoader(train, batch_size=50, shuffle=True)
valid_loader = DataLoader(valid, batch_size=50)
for rows, kinds in train_loader:
    model(rows)
for rows, kinds in valid_loader:
    model(rows).argmax(1)
"""


def _evaluated(folder: Path, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, PARTS).steps([1.0 / (1 + 0.02 * i) for i in range(160)])
    record.fact("module", 0, {"cls": "Sequential"})
    for key, line in (("0", "train_loader ="), ("1", "valid_loader =")):
        record.fact("loader", key, {"built_site": record.site(line)}, at=f"in {line.split()[0]}:")
    whole = {
        "root": "0", "name": "0", "caller": None, "loader": "1", "set_rows": 200, "passes": 8, "step": 160, "rows": 200, "read": 200,
        "examined": 200, "known": 150, "repeated": 1.0, "batches": [[50, 38]] * 4, "pairs": 19_900, "equal": 0,
        "shifted": 0, "neighbours": 120,
        "trained": 760, "coverage": 0.95, "train_pairs": 40_000, "train_equal": 0, "train_sets": {"0": 800}, "same_set": False,
        "changed": False, "history": [[20, 70, 350], [160, 150, 760]], "distinct": 200, "column_values": [200, 200, 12, 200],
    }  # fmt: skip
    return record.fact("evaluated_rows", "e", whole | data, at="model(rows).argmax", count=32)


@scenario("duplicate-leak", "known", "_, valid =", "warning")
def split_drawn_twice(folder: Path) -> RecordBuilder:
    return _evaluated(folder)


@scenario("duplicate-leak", "known", "_, valid =", "warning")
def all_of_a_part_was_trained_on(folder: Path) -> RecordBuilder:
    return _evaluated(folder, known=192, train_sets={"0": 1000})


@scenario("duplicate-leak", "known", "_, valid =", "warning")
def bits_in_many_columns(folder: Path) -> RecordBuilder:
    return _evaluated(folder, column_values=[2, 2, 2, 2])


@scenario(None)
def all_of_it_in_a_set_as_large(folder: Path) -> RecordBuilder:
    return _evaluated(folder, known=192, set_rows=700)


@scenario(None)
def the_training_set_itself(folder: Path) -> RecordBuilder:
    return _evaluated(folder, known=760, rows=800, read=800, examined=800, set_rows=800)


@scenario(None)
def the_data_set_of_the_training(folder: Path) -> RecordBuilder:
    return _evaluated(folder, same_set=True)


@scenario(None)
def bits_that_are_equal_by_nature(folder: Path) -> RecordBuilder:
    return _evaluated(folder, column_values=[2, 2, 2, 2], equal=90, examined=128, known=110, train_equal=170)


@scenario(None)
def windows_over_a_series(folder: Path) -> RecordBuilder:
    return _evaluated(folder, shifted=110, equal=500)


@scenario(None)
def other_rows_each_time(folder: Path) -> RecordBuilder:
    return _evaluated(folder, repeated=0.2, step=150)


@scenario(None)
def few_doubles(folder: Path) -> RecordBuilder:
    return _evaluated(folder, known=6)


@scenario(None)
def two_sets_at_one_place(folder: Path) -> RecordBuilder:
    return _evaluated(folder, loader=None, batches=[[50, 46], [50, 45], [50, 0], [50, 0]])


@scenario(None)
def pseudo_labels(folder: Path) -> RecordBuilder:
    return _evaluated(folder, loader=None, history=[[20, 5, 350], [80, 60, 500], [160, 150, 760]])


@scenario(None)
def tasks_in_sequence(folder: Path) -> RecordBuilder:
    return _evaluated(folder, changed=True)
