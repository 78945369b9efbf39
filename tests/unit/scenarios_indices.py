"""Records for the rules on vocabularies, sequences and masks. Registered by ``scenarios``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records_builder import RecordBuilder
from scenarios import scenario

READER = """
import torch
from torch.utils.data import DataLoader

class Texts:
    def __init__(self, texts):
        self.ids = {word: i for i, word in enumerate(texts)}

train_ids, test_ids = number(train_texts), number(test_texts)
train_x = torch.tensor([[train_ids[w] for w in t] for t in train_texts])
test_x = torch.tensor([[test_ids.get(w, 0) for w in t] for t in test_texts])
model = Net()
for x, y in DataLoader(Texts(train), batch_size=8):
    loss = criterion(model(train_x), y)
    loss.backward()
    optimizer.step()
for x, y in DataLoader(Texts(test), batch_size=8):
    scores = model(test_x)
"""


def _given(folder: Path, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, READER)
    whole = {"root": "0", "name": "0", "dtype": "int64", "min": 0, "max": 40, "calls": 8, "shape": [8, 12]} | data
    record.fact("input", "a", whole | {"phase": "train", "loader": "0"}, at="loss = criterion")
    return record.fact("input", "b", whole | {"phase": "eval", "loader": "1"}, at="scores =")


def _table(record: RecordBuilder, key: str, against: str | None = None, **data: Any) -> RecordBuilder:
    whole = {"where": "dataset", "of": "Texts", "name": "ids", "size": 50, "first": 0}
    found = {"same": False, "either": 60, "common": 40, "equal": 2}
    where = "scores =" if data.get("where") == "variables" else None
    return record.fact("vocabulary", key, whole | {"against": {against: found} if against else {}} | data, at=where)


@scenario("vocab-mismatch", "two-tables", "self.ids =")
def each_split_numbers_its_words(folder: Path) -> RecordBuilder:
    return _table(_table(_given(folder), "a", loader="0"), "b", "a", loader="1")


@scenario(None)
def tables_that_make_no_input(folder: Path) -> RecordBuilder:
    return _table(_table(_given(folder, dtype="float32"), "a", loader="0"), "b", "a", loader="1")


@scenario("vocab-mismatch", "two-tables", "train_ids, test_ids")
def two_variables_number_words(folder: Path) -> RecordBuilder:
    record = _table(_given(folder), "a", where="variables", of="<module>", name="train_ids", loader=None)
    return _table(record, "b", "a", where="variables", of="<module>", name="test_ids", loader=None)


def _tokens(record: RecordBuilder, phase: str, **data: Any) -> RecordBuilder:
    whole = {"root": "0", "name": "0", "phase": phase, "looks": 12, "total": 2000, "distinct": 45, "top": [[n, 60] for n in range(5)]}
    return record.fact("tokens", phase, whole | data)


@scenario("vocab-mismatch", "unknown", "scores =")
def words_that_training_lacks(folder: Path) -> RecordBuilder:
    return _tokens(_tokens(_given(folder), "train"), "eval", distinct=4, top=[[0, 1800], [3, 100], [4, 60], [5, 40]])


@scenario("vocab-mismatch", "unseen", "test_ids.get")
def words_of_other_text(folder: Path) -> RecordBuilder:
    record = _table(_given(folder), "a", where="variables", of="<module>", name="test_ids", loader=None, size=200)
    return _tokens(record, "train", distinct=9, top=[[0, 1700], [3, 90], [4, 60], [5, 40], [6, 30]])


@scenario(None)
def frequent_words_only(folder: Path) -> RecordBuilder:
    record = _table(_given(folder), "a", where="variables", of="<module>", name="test_ids", loader=None)
    return _tokens(record, "train", top=[[0, 1000], [3, 90], [4, 60], [5, 40], [6, 30]])
