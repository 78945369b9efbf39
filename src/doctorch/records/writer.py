"""Write one process's record: cheap on the training thread, all file work on a background thread.

The training thread only appends to lists and changes plain Python objects. The writer thread turns what changed into
rows a few times a second, so a process that is killed loses less than a second of facts.
"""

from __future__ import annotations

import _thread
import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from doctorch.records import schema

FLUSH_FIRST_S = 0.25
"""Interval of flushes in the first seconds, when most crashes happen."""
FLUSH_S = 0.8
"""Interval afterwards: below the promised second."""
FLUSH_FIRST_FOR_S = 10.0

BLOCK_ROWS = 2048
"""Steps in one level-0 block once it is full."""
BLOCKS_PER_LEVEL = 32
"""Blocks a level keeps before its oldest ones are merged into the next level: 65,536 single steps stay exact."""
MERGE_BLOCKS = schema.ROLLUP
"""Blocks merged at once; with BLOCK_ROWS a multiple of ROLLUP, each merge gives one full block of the next level."""

MAX_SOURCE_BYTES = 2 * 1024 * 1024
"""Files larger than this are not kept as sources (generated code)."""

NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "fuse", "9p", "afs", "glusterfs", "panfs", "wekafs")
"""File systems on which SQLite's WAL is not allowed or not safe (https://www.sqlite.org/wal.html, shared memory between hosts)."""


_Item = TypeVar("_Item")


class Entry:
    """A fact in memory. Whoever changes it sets ``dirty`` and adds it to the recorder's dirty list through ``touch``."""

    __slots__ = ("kind", "key", "file", "line", "step_first", "step_last", "count", "data", "dirty")

    def __init__(self, kind: str, key: str, file: str | None, line: int | None, data: dict[str, Any]) -> None:
        self.kind = kind
        self.key = key
        self.file = file
        self.line = line
        self.step_first = 0
        self.step_last = 0
        self.count = 0
        self.data = data
        self.dirty = False


def on_network_file_system(path: str) -> bool:
    """Whether the path lies on a file system shared between machines (Linux: from the mount table; elsewhere False)."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as table:
            mounts = [line.split() for line in table]
    except OSError:
        return False
    real = os.path.realpath(path)
    best, kind = "", ""
    for fields in mounts:
        if "-" not in fields[6:]:
            continue
        mount = fields[4].replace("\\040", " ")
        if len(mount) >= len(best) and (real == mount or real.startswith(mount.rstrip("/") + "/")):
            best, kind = mount, fields[fields.index("-", 6) + 1]
    return kind.startswith(NETWORK_FILE_SYSTEMS)


class RecordWriter:
    """The record of one process. Everything public may be called from the training thread at any time."""

    def __init__(self, folder: str, meta: dict[str, Any]) -> None:
        self.folder = folder
        self.meta = meta
        self.began = time.perf_counter_ns()
        self.entries: dict[tuple[str, str], Entry] = {}
        self.dirty: list[Entry] = []
        self.pending: list[tuple[float, ...]] = []
        self.sources: list[str] = []
        self.providers: list[Callable[[], None]] = []
        """Called on the writer thread before each flush; may touch entries."""
        self.on_tick: Callable[[], None] | None = None
        self.lock = threading.Lock()
        """Held by the writer while it is inside SQLite; taken around a fork so that no child inherits SQLite's locks."""
        self.alive = False
        self.broken: str | None = None
        self.flush_ns = 0
        self._wake = threading.Event()
        self._done = threading.Lock()
        self._stopping = False
        self._connection: sqlite3.Connection | None = None
        self._tail: list[tuple[float, ...]] = []
        self._tail_first = 0
        self._seen_sources: dict[str, str | None] = {}

    # ---- called on the training thread

    def start(self) -> None:
        """Start the writer thread. Not through ``threading``: the script's own list of threads stays as it is."""
        self._done.acquire()
        self.alive = True
        _thread.start_new_thread(self._work, ())

    def join(self, timeout: float) -> None:
        """Wait until the writer thread has ended."""
        if self._done.acquire(timeout=timeout):
            self._done.release()

    def touch(self, entry: Entry) -> None:
        """Mark an entry as changed."""
        if not entry.dirty:
            entry.dirty = True
            self.dirty.append(entry)

    def entry(
        self, kind: str, key: str, file: str | None = None, line: int | None = None, make: Callable[[], dict[str, Any]] = dict
    ) -> Entry:
        """The entry of that kind and key, made on first use."""
        found = self.entries.get((kind, key))
        if found is None:
            found = self.entries[kind, key] = Entry(kind, key, file, line, make())
            self.touch(found)
        return found

    def flush_now(self, timeout: float = 2.0) -> None:
        """Write everything that is pending before returning; used before the process may die."""
        if not self.alive:
            return
        with contextlib.suppress(Exception):
            if self.lock.acquire(timeout=timeout):
                try:
                    if self._connection is None and not self.broken:
                        self._open()
                    self._flush()
                finally:
                    self.lock.release()

    def stop(self, timeout: float = 5.0) -> None:
        """Flush and close. The record is complete afterwards."""
        self._stopping = True
        self._wake.set()
        if self.alive:
            self.join(timeout)

    # ---- on the writer thread

    def _open(self) -> None:
        number = 0
        while os.path.exists(path := os.path.join(self.folder, f"process-{os.getpid()}-{number}.sqlite")):
            number += 1
        # Shared between the writer thread and flush_now, always under self.lock.
        connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous=OFF")  # a crash of the process loses nothing; only of the machine
        connection.execute("PRAGMA cache_size=-512")
        connection.execute("PRAGMA journal_mode=" + ("TRUNCATE" if on_network_file_system(self.folder) else "WAL"))
        connection.executescript(schema.CREATE)
        self._connection = connection

    def _work(self) -> None:
        started = time.monotonic()
        try:
            with self.lock:
                if self._connection is None:
                    self._open()
                self._flush()
            while not self._stopping:
                self._wake.wait(FLUSH_FIRST_S if time.monotonic() - started < FLUSH_FIRST_FOR_S else FLUSH_S)
                with self.lock:
                    self._flush()
            with self.lock:
                self._flush()  # what came between the last round and the end
                if self._connection is not None:
                    with contextlib.suppress(sqlite3.Error):  # somebody reads just now: it stays a WAL file, as sound
                        self._connection.execute("PRAGMA journal_mode=DELETE")  # one plain file, readable from a read-only folder
                    self._connection.close()
                    self._connection = None
        except Exception as error:  # a full disk, a removed folder: the training goes on unrecorded
            self.broken = f"{type(error).__name__}: {error}"
            self._give_up()
        finally:
            self.alive = False
            self._done.release()

    def _give_up(self) -> None:
        with contextlib.suppress(Exception), open(os.path.join(self.folder, "observer-error.txt"), "a", encoding="utf-8") as out:
            out.write(f"the record could not be written: {self.broken}\n")
        self.providers.clear()

    def _flush(self) -> None:
        began = time.perf_counter_ns()
        connection = self._connection
        if connection is None or self.broken:
            self.pending.clear()
            self.dirty.clear()
            return
        for provider in list(self.providers):
            provider()
            _yield()
        if self.on_tick is not None:
            self.on_tick()
        dirty, rows = _take(self.dirty), _take(self.pending)
        self._keep_sources()
        connection.execute("BEGIN")
        try:
            facts = []
            for entry in dirty:
                entry.dirty = False
                # One C call over plain objects: the training thread cannot change them half-way.
                text = json.dumps(entry.data, default=str)
                facts.append((entry.kind, entry.key, entry.file, entry.line, entry.step_first, entry.step_last, entry.count, text))
                _yield()
            connection.executemany("INSERT OR REPLACE INTO facts VALUES(?,?,?,?,?,?,?,?)", facts)
            if rows:
                self._write_steps(connection, rows)
            meta = dict(self.meta, heartbeat=time.time())
            connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES(?,?)", [(key, json.dumps(value, default=str)) for key, value in meta.items()]
            )
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        self.flush_ns += time.perf_counter_ns() - began

    def _write_steps(self, connection: sqlite3.Connection, rows: list[tuple[float, ...]]) -> None:
        self._tail.extend(rows)
        while self._tail:
            block = self._tail[:BLOCK_ROWS]
            columns = [array("f", column) for column in zip(*block, strict=True)]
            connection.execute("INSERT OR REPLACE INTO steps VALUES(0,?,?,?)", (self._tail_first, len(block), schema.pack_columns(columns)))
            if len(block) < BLOCK_ROWS:
                return
            del self._tail[:BLOCK_ROWS]
            self._tail_first += BLOCK_ROWS
            compact(connection)

    def _keep_sources(self) -> None:
        while self.sources:
            path = self.sources.pop()
            if path in self._seen_sources:
                continue
            self._seen_sources[path] = None
            with contextlib.suppress(OSError):
                if os.path.getsize(path) > MAX_SOURCE_BYTES:
                    continue
                data = Path(path).read_bytes()
                digest = hashlib.sha256(data).hexdigest()
                target = os.path.join(self.folder, "sources", f"{digest}.py")
                if not os.path.exists(target):
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    temporary = f"{target}.{os.getpid()}"
                    Path(temporary).write_bytes(data)
                    os.replace(temporary, target)
                self._seen_sources[path] = digest
                self.meta["sources"] = {p: d for p, d in self._seen_sources.items() if d}


def _yield() -> None:
    """Let the training go on: a thread that computes in Python keeps the interpreter for 5 ms before it is asked to give way."""
    time.sleep(0)


def _take(items: list[_Item]) -> list[_Item]:
    """Move out what is there. The list stays the same object: another thread may be about to append to it."""
    taken = items[: len(items)]
    del items[: len(taken)]
    return taken


def compact(connection: sqlite3.Connection) -> None:
    """Merge the oldest blocks of each full level into one block of the next, so that the record stays bounded."""
    level = 0
    while True:
        blocks = connection.execute("SELECT first, n, data FROM steps WHERE level=? AND n=? ORDER BY first", (level, BLOCK_ROWS)).fetchall()
        if len(blocks) <= BLOCKS_PER_LEVEL + MERGE_BLOCKS:
            return
        oldest = blocks[:MERGE_BLOCKS]
        merged = [array("f") for _ in schema.STEP_COLUMNS]
        for _, n, data in oldest:
            for target, column in zip(merged, roll_up(schema.unpack_columns(data, n)), strict=True):
                target.extend(column)
        connection.executemany("DELETE FROM steps WHERE level=? AND first=?", [(level, first) for first, _, _ in oldest])
        connection.execute(
            "INSERT OR REPLACE INTO steps VALUES(?,?,?,?)", (level + 1, oldest[0][0], len(merged[0]), schema.pack_columns(merged))
        )
        level += 1


def roll_up(columns: list[array[float]]) -> list[array[float]]:
    """Each ROLLUP rows become one: means, but the first start, the longest duration and the extremes of the loss."""
    result = []
    for name, column in zip(schema.STEP_COLUMNS, columns, strict=True):
        groups = (column[i : i + schema.ROLLUP] for i in range(0, len(column), schema.ROLLUP))
        if name == "start_s":
            result.append(array("f", (group[0] for group in groups)))
        elif name in ("duration_max_ms", "loss_max"):
            result.append(array("f", (_extreme(group, max) for group in groups)))
        elif name == "loss_min":
            result.append(array("f", (_extreme(group, min) for group in groups)))
        else:
            result.append(array("f", (_mean(group) for group in groups)))
    return result


def _known(values: array[float]) -> list[float]:
    return [v for v in values if v == v]


def _mean(values: array[float]) -> float:
    known = _known(values)
    return sum(known) / len(known) if known else float("nan")


def _extreme(values: array[float], pick: Callable[[list[float]], float]) -> float:
    known = _known(values)
    return pick(known) if known else float("nan")
