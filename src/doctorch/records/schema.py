"""The shape of a record on disk. docs/records.md describes every kind of fact."""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Sequence

VERSION = 1

STEP_COLUMNS = (
    "start_s",
    "duration_ms",
    "duration_max_ms",
    "wait_ms",
    "forward_ms",
    "backward_ms",
    "optimizer_ms",
    "watch_ms",
    "backwards",
    "loss",
    "loss_min",
    "loss_max",
)

ROLLUP = 16
"""One row of level k + 1 stands for this many rows of level k."""

CREATE = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS steps(level INTEGER, first INTEGER, n INTEGER, data BLOB, PRIMARY KEY(level, first)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts(kind TEXT, key TEXT, file TEXT, line INTEGER, step_first INTEGER, step_last INTEGER,
                                 count INTEGER, data TEXT, PRIMARY KEY(kind, key)) WITHOUT ROWID;
"""


def pack_columns(columns: Sequence[array[float]]) -> bytes:
    """Columns of float32 (``array('f')``), all of the same length, as one compressed block."""
    joined = array("f")
    for column in columns:
        joined.extend(column)
    if sys.byteorder == "big":
        joined.byteswap()
    return zlib.compress(joined.tobytes(), 1)


def unpack_columns(data: bytes, n: int) -> list[array[float]]:
    """Inverse of :func:`pack_columns` for a block of ``n`` rows."""
    joined = array("f")
    joined.frombytes(zlib.decompress(data))
    if sys.byteorder == "big":
        joined.byteswap()
    if n <= 0 or len(joined) % n:
        raise ValueError(f"a block of {len(joined)} values cannot hold {n} rows")
    return [joined[i : i + n] for i in range(0, len(joined), n)]
