"""Records for the rules on data files. Registered by ``scenarios``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import scenario

SHEET = """
import csv
import torch
with open("sheet.csv", encoding="utf-8") as f:
    rows = [(float(row["a"]), row.get("kind", 0)) for row in csv.DictReader(f)]
kinds = [kind for _, kind in rows]
y = torch.tensor(kinds)
"""
COMPARED = """
import csv
with open("sheet.csv") as f:
    reader = csv.reader(f)
    labels = [int(row[0] == 1) for row in reader]
"""


def _opened(record: RecordBuilder, **data: Any) -> RecordBuilder:
    whole = {"path": "/data/sheet.csv", "count": 1, "size": 900, "mode": "r", "encoding": "utf-8", "by": "__main__"}
    return record.fact("file_open", "/data/sheet.csv", whole | {"bom": True, "first_field": "kind"} | data, at="open(")


def _ended(record: RecordBuilder, kind: str, message: str, at: str, **data: Any) -> RecordBuilder:
    return record.fact("exception", "last", {"type": kind, "message": message} | data, at=at)


@scenario("csv-bom", "not-found", "open(")
def marked_column(folder: Path) -> RecordBuilder:
    return _ended(_opened(RecordBuilder(folder, SHEET)), "KeyError", "'kind'", "rows =")


@scenario("csv-bom", "not-found", "open(")
def marked_column_in_a_worker(folder: Path) -> RecordBuilder:
    text = "Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\nKeyError: 'kind'\n"
    return _ended(_opened(RecordBuilder(folder, SHEET)), "KeyError", text, "rows =")


@scenario("csv-bom", "missed", "open(")
def marked_column_with_a_default(folder: Path) -> RecordBuilder:
    return _opened(RecordBuilder(folder, SHEET))


@scenario("csv-bom", "text", "rows =")
def mark_in_a_number(folder: Path) -> RecordBuilder:
    return _ended(RecordBuilder(folder, SHEET), "ValueError", "could not convert string to float: '\\ufeff1.5'", "rows =")


@scenario(None)
def mark_taken_off(folder: Path) -> RecordBuilder:
    return _ended(_opened(RecordBuilder(folder, SHEET), by="pandas"), "KeyError", "'kind'", "rows =")


@scenario("labels-as-strings", "counted", "torch.tensor")
def names_of_kinds(folder: Path) -> RecordBuilder:
    texts = {"kinds": {"n": 40, "distinct": 3, "numbers": False, "whole": False}}
    return _ended(RecordBuilder(folder, SHEET), "ValueError", "too many dimensions 'str'", "torch.tensor", texts=texts)


@scenario("labels-as-strings", "counted", "torch.tensor")
def numbers_as_text(folder: Path) -> RecordBuilder:
    texts = {"kinds": {"n": 40, "distinct": 3, "numbers": True, "whole": True}}
    return _ended(RecordBuilder(folder, SHEET), "ValueError", "too many dimensions 'str'", "torch.tensor", texts=texts)


@scenario("labels-as-strings", "text", "torch.tensor")
def names_that_are_not_known(folder: Path) -> RecordBuilder:
    return _ended(RecordBuilder(folder, SHEET), "TypeError", "new(): invalid data type 'str'", "torch.tensor")


@scenario("labels-as-strings", "compared", "row[0] == 1")
def text_against_a_number(folder: Path) -> RecordBuilder:
    return RecordBuilder(folder, COMPARED)


@scenario(None)
def measurements_as_text(folder: Path) -> RecordBuilder:
    texts = {"kinds": {"n": 40, "distinct": 39, "numbers": True, "whole": False}}
    return _ended(RecordBuilder(folder, SHEET), "ValueError", "too many dimensions 'str'", "torch.tensor", texts=texts)
