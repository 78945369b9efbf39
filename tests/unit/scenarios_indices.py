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


# ---- targets and positions

LANGUAGE = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8, bidirectional=True)

    def forward(self, x):
        h = self.attend(self.emb(x))
        return self.head(h)

model = Model()
for tokens in loader:
    x = tokens[:, :-1]
    y = tokens[:, 1:]
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    loss.backward()
    optimizer.step()
"""
NOT_AHEAD = [[10, 0.0, 0.0, 1.0, 0.4], [15, 0.0, 0.0, 1.0, 0.3]]
AHEAD = [[10, 0.5, 0.5, 1.0, 0.4], [15, 0.3, 0.4, 1.0, 0.3]]


def _shifted(folder: Path, offset: int, changed: list[list[float]] | None, source: str = LANGUAGE, name: str = "0") -> RecordBuilder:
    record = RecordBuilder(folder, source)
    equal = {str(k): 900 if k == offset else 30 for k in (-1, 0, 1, 2, 3)}
    data = {"loss_call": "c", "root": "0", "name": name, "looks": 12, "batch_first": True, "length": 20, "start": 0, "targets": 900}
    data |= {"valid": 900, "positions": dict.fromkeys(equal, 900), "equal": equal}
    record.fact("loss_call", "c", {"function": "cross_entropy", "count": 40, "train_count": 40}, at="loss = nn")
    record.fact("shift", f"c:0:{name}", data, at="loss = nn")
    if changed is None:
        return record
    subjects = [{"argument": "0", "batch_first": True, "length": 20, "changed": changed}]
    return record.fact("probe", "position-dependence", {"name": "p", "made": True, "at_step": 12, "root": "0", "subjects": subjects})


@scenario("label-shift", "same", "y = tokens")
def targets_are_the_inputs(folder: Path) -> RecordBuilder:
    return _shifted(folder, 0, NOT_AHEAD)


@scenario(None)
def the_whole_sequence_is_seen(folder: Path) -> RecordBuilder:
    return _shifted(folder, 0, AHEAD)


@scenario(None)
def whether_it_looks_ahead_is_not_known(folder: Path) -> RecordBuilder:
    return _shifted(folder, 0, None)


@scenario("label-shift", "twice", "y = tokens")
def targets_skip_a_token(folder: Path) -> RecordBuilder:
    return _shifted(folder, 2, NOT_AHEAD)


@scenario("future-leak", "moves", "h = self.attend")
def attention_without_a_mask(folder: Path) -> RecordBuilder:
    data = {"kind": "softmax", "length": 20, "looks": 2, "square": 2, "causal": 0, "padded": 0, "blind": 0, "weight": 0.0, "rows": 0}
    return _shifted(folder, 1, AHEAD).fact("attention", "a", data, at="h = self.attend")


@scenario("future-leak", "moves", "nn.LSTM")
def reads_both_ways(folder: Path) -> RecordBuilder:
    return _shifted(folder, 1, AHEAD)


@scenario("future-leak", "moves", "loss = nn")
def looks_ahead_somehow(folder: Path) -> RecordBuilder:
    return _shifted(folder, 1, AHEAD, LANGUAGE.replace(", bidirectional=True", ""))


@scenario(None)
def looks_back_only(folder: Path) -> RecordBuilder:
    return _shifted(folder, 1, NOT_AHEAD)


def _padded(folder: Path, kind: str, **data: Any) -> RecordBuilder:
    record = RecordBuilder(folder, LANGUAGE).fact("module", "0", {"cls": "Model", "calls": 40})
    given = {"root": "0", "name": "0", "batch_first": True, "looks": 2, "tokens": 400, "pads": 120, "front": 0, "id": 0}
    whole = {"kind": kind, "length": 20, "looks": 2, "square": 2, "causal": 0, "padded": 2, "blind": 2, "weight": 0.0, "rows": 0}
    record.fact("padding", "0:0:True", given)
    return record.fact("attention", "a", whole | data, at="h = self.attend")


@scenario("attention-mask-missing", "weights", "h = self.attend", "warning")
def padding_gets_weight(folder: Path) -> RecordBuilder:
    return _padded(folder, "softmax", weight=140.0, rows=560)


@scenario("attention-mask-missing", "no-mask", "h = self.attend", "warning")
def fused_without_a_mask(folder: Path) -> RecordBuilder:
    return _padded(folder, "fused")


@scenario(None)
def padding_comes_after_what_is_seen(folder: Path) -> RecordBuilder:
    return _padded(folder, "fused", causal=2)


@scenario(None)
def padding_is_masked(folder: Path) -> RecordBuilder:
    return _padded(folder, "softmax", blind=0, rows=560)
