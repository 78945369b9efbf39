"""The writer: bounded, complete, sound after a crash, private."""

from __future__ import annotations

import json
import math
import sqlite3
from array import array
from pathlib import Path

import pytest

from doctorch.records import schema
from doctorch.records.reader import Process, RecordError, Run
from doctorch.records.writer import BLOCK_ROWS, RecordWriter, compact, on_network_file_system, roll_up

MIB = 1024 * 1024


def block(first: int, n: int) -> bytes:
    """n steps of a noisy loss and noisy times, the worst for compression."""
    columns = []
    for at, name in enumerate(schema.STEP_COLUMNS):
        column = array("f", ((((first + i) * 2654435761 + at * 40503) % 4294967296) / 4294967296 for i in range(n)))
        if name == "start_s":
            column = array("f", (float(first + i) for i in range(n)))
        columns.append(column)
    return schema.pack_columns(columns)


def test_packing_gives_back_the_columns() -> None:
    columns = [array("f", (1.5, float("nan"), -2.0)), array("f", (0.0, 3.0, 4.0))]
    back = schema.unpack_columns(schema.pack_columns(columns), 3)
    assert [list(map(str, c)) for c in back] == [list(map(str, c)) for c in columns]
    with pytest.raises(ValueError, match="cannot hold"):
        schema.unpack_columns(schema.pack_columns(columns), 4)


def test_a_million_steps_stay_small_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "process-1-0.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.executescript(schema.CREATE)
    connection.executemany("INSERT INTO meta VALUES(?,?)", [("schema", json.dumps(schema.VERSION)), ("role", '"training"')])
    blocks = 1_000_000 // BLOCK_ROWS + 1
    data = block(0, BLOCK_ROWS)
    sizes = []
    for number in range(blocks):
        connection.execute("INSERT INTO steps VALUES(0,?,?,?)", (number * BLOCK_ROWS, BLOCK_ROWS, data))
        compact(connection)
        if number in (blocks // 2, blocks - 1):
            sizes.append(connection.execute("SELECT sum(length(data)) FROM steps").fetchone()[0])
    connection.close()
    assert sizes[-1] < 50 * MIB
    assert sizes[-1] < 1.5 * sizes[0], "twice the steps must not be twice the size"
    steps = Process(path).steps
    assert steps.count == blocks * BLOCK_ROWS
    ends = [i + w for i, w in zip(steps.index, steps.width, strict=True)]
    assert steps.index == [0, *ends[:-1]], "rows must follow on each other without a gap"


def test_roll_up_keeps_extremes_and_ignores_unknown_losses() -> None:
    n = schema.ROLLUP
    columns = [array("f", (float(i) for i in range(n))) for _ in schema.STEP_COLUMNS]
    at = schema.STEP_COLUMNS.index
    columns[at("loss")] = array("f", [float("nan")] * (n - 1) + [4.0])
    columns[at("loss_min")] = array("f", [float("nan")] * (n - 1) + [4.0])
    rolled = [c[0] for c in roll_up(columns)]
    assert rolled[at("start_s")] == 0
    assert rolled[at("duration_ms")] == pytest.approx((n - 1) / 2)
    assert rolled[at("duration_max_ms")] == n - 1
    assert rolled[at("loss")] == rolled[at("loss_min")] == 4.0
    assert math.isnan(roll_up([array("f", [float("nan")] * n)] * len(columns))[at("loss")][0])


def writer(folder: Path) -> RecordWriter:
    made = RecordWriter(str(folder), {"schema": schema.VERSION, "role": "training", "steps": 0})
    made.start()
    return made


def row(step: int) -> tuple[float, ...]:
    return tuple(float(step) for _ in schema.STEP_COLUMNS)


def test_everything_is_there_after_stop_and_one_plain_file_is_left(tmp_path: Path) -> None:
    made = writer(tmp_path)
    entry = made.entry("thing", "a", "/somewhere/train.py", 3, lambda: {"n": 1})
    for step in range(5000):
        made.pending.append(row(step))
    entry.data["n"] = 2
    made.touch(entry)
    made.stop()
    run = Run(tmp_path)
    assert run.processes[0].steps.count == 5000
    fact = run.processes[0].fact("thing", "a")
    assert fact is not None
    assert (fact["n"], fact.file, fact.line) == (2, "/somewhere/train.py", 3)
    assert [p.suffix for p in tmp_path.iterdir()] == [".sqlite"]


def test_flush_now_leaves_nothing_pending(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.flush_now()
    made.pending.append(row(0))
    made.flush_now()
    assert made.pending == []
    made.stop()


def test_a_folder_that_vanishes_stops_the_record_and_not_the_training(tmp_path: Path) -> None:
    missing = tmp_path / "gone"
    made = writer(missing)
    made.join(30)
    assert made.broken is not None
    made.pending.append(row(0))
    made.flush_now()
    made.stop()


def test_a_damaged_process_file_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.stop()
    (tmp_path / "process-9-0.sqlite").write_bytes(b"not a database at all" * 50)
    run = Run(tmp_path)
    assert len(run.processes) == 1
    assert len(run.damaged) == 1
    assert "process-9-0.sqlite" in run.damaged[0]


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    made = RecordWriter(str(tmp_path), {"schema": schema.VERSION + 1})
    made.start()
    made.stop()
    with pytest.raises(RecordError, match="version"):
        Process(next(tmp_path.glob("*.sqlite")))


def test_a_local_folder_is_not_taken_for_a_network_file_system(tmp_path: Path) -> None:
    assert not on_network_file_system("/proc")
    assert isinstance(on_network_file_system(str(tmp_path)), bool)
