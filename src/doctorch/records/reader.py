"""Read a run folder: the processes of a run, their facts and their steps, merged."""

from __future__ import annotations

import json
import math
import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from doctorch.records import schema


class RecordError(Exception):
    """The folder is no record, or one that this version cannot read. The text is one sentence for the user."""


@dataclass(frozen=True)
class Fact:
    """One row of the facts table; ``data`` is described in docs/records.md by ``kind``."""

    kind: str
    key: str
    file: str | None
    line: int | None
    step_first: int
    step_last: int
    count: int
    data: Mapping[str, Any]
    process: Process = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A value of ``data``, or the default where the observer did not know it."""
        return self.data.get(name, default)


class Steps:
    """The steps of one process as columns (``schema.STEP_COLUMNS``), oldest first.

    Rows of older steps may stand for several steps: ``width[i]`` says how many row i covers.
    """

    def __init__(self, index: list[int], width: list[int], columns: dict[str, array[float]]) -> None:
        self.index = index
        self.width = width
        self.columns = columns

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, name: str) -> array[float]:
        return self.columns[name]

    @property
    def count(self) -> int:
        """Number of steps covered."""
        return sum(self.width)

    def losses(self) -> list[tuple[int, float]]:
        """(step, loss) where the loss is known; non-finite values included, NaN for unknown excluded only when no extreme is known."""
        return [(i, v) for i, v in zip(self.index, self.columns["loss"], strict=True) if not math.isnan(v)]


class Process:
    """One observed process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # immutable=0: the writer may still be at work; WAL readers do not block it.
            self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
            rows = dict(self._connection.execute("SELECT key, value FROM meta"))
        except sqlite3.Error as error:
            raise RecordError(f"{path.name} is not a readable record ({error}); record the run again.") from error
        self.meta: dict[str, Any] = {key: json.loads(value) for key, value in rows.items()}
        version = self.meta.get("schema")
        if version != schema.VERSION:
            raise RecordError(f"{path.name} has record version {version}, this doctorch reads version {schema.VERSION}.")
        self._facts: dict[str, list[Fact]] = {}

    @property
    def role(self) -> str:
        """``training``, ``loader-worker`` or ``other``."""
        return str(self.meta.get("role", "other"))

    @property
    def rank(self) -> int:
        """Rank in torch.distributed, 0 where there is none."""
        return int(self.meta.get("rank") or 0)

    @property
    def n_steps(self) -> int:
        """Completed steps."""
        return int(self.meta.get("steps") or 0)

    def facts(self, kind: str) -> list[Fact]:
        """All facts of a kind, in key order."""
        if kind not in self._facts:
            try:
                rows = self._connection.execute(
                    "SELECT key, file, line, step_first, step_last, count, data FROM facts WHERE kind = ? ORDER BY key", (kind,)
                ).fetchall()
            except sqlite3.Error as error:
                raise RecordError(f"{self.path.name} is damaged ({error}); what it held is lost.") from error
            self._facts[kind] = [Fact(kind, k, f, ln, a, b, c, json.loads(d), self) for k, f, ln, a, b, c, d in rows]
        return self._facts[kind]

    def fact(self, kind: str, key: str | int) -> Fact | None:
        """The fact of that kind and key, or None."""
        return next((fact for fact in self.facts(kind) if fact.key == str(key)), None)

    @cached_property
    def steps(self) -> Steps:
        """All recorded steps."""
        index: list[int] = []
        width: list[int] = []
        columns = {name: array("f") for name in schema.STEP_COLUMNS}
        try:
            rows = self._connection.execute("SELECT level, first, n, data FROM steps ORDER BY first, level").fetchall()
        except sqlite3.Error as error:
            raise RecordError(f"{self.path.name} is damaged ({error}); what it held is lost.") from error
        for level, first, n, data in rows:
            per_row = schema.ROLLUP**level
            index.extend(range(first, first + n * per_row, per_row))
            width.extend([per_row] * n)
            for name, column in zip(schema.STEP_COLUMNS, schema.unpack_columns(data, n), strict=True):
                columns[name].extend(column)
        return Steps(index, width, columns)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Run:
    """A recorded run: the manifest and its processes."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise RecordError(f"{self.folder} is not a run folder; give a folder that `doctorch run` wrote under .doctorch.")
        try:
            self.manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.manifest = {}
        except (OSError, ValueError) as error:
            raise RecordError(f"{self.folder / 'manifest.json'} cannot be read ({error}).") from error
        self.damaged: list[str] = []
        self.processes: list[Process] = []
        for path in sorted(self.folder.glob("process-*.sqlite")):
            try:
                self.processes.append(Process(path))
            except RecordError as error:
                self.damaged.append(str(error))
        if not self.processes and not self.manifest and not self.damaged:
            raise RecordError(f"{self.folder} holds no record; give a folder that `doctorch run` wrote under .doctorch.")

    @cached_property
    def training(self) -> list[Process]:
        """The processes that trained, by rank."""
        return sorted((p for p in self.processes if p.role == "training"), key=lambda p: (p.rank, p.path.name))

    @property
    def main(self) -> Process | None:
        """The training process of the lowest rank; else one that imported torch and ended in an exception; else the first."""
        if self.training:
            return self.training[0]
        for process in self.processes:
            if process.facts("exception"):
                return process
        return self.processes[0] if self.processes else None

    def facts(self, kind: str) -> Iterator[Fact]:
        """Facts of a kind over the training processes by rank, then over all others."""
        for process in self.training:
            yield from process.facts(kind)
        for process in self.processes:
            if process.role != "training":
                yield from process.facts(kind)

    def main_facts(self, kind: str) -> list[Fact]:
        """Facts of a kind of the main process only."""
        return self.main.facts(kind) if self.main else []

    def has(self, kind: str) -> bool:
        """Whether any process recorded such a fact."""
        return any(p.facts(kind) for p in self.processes)

    def source(self, file: str) -> str | None:
        """The text of a user's file as it was when run, or None when no copy was kept."""
        for process in self.processes:
            digest = process.meta.get("sources", {}).get(file)
            if digest:
                try:
                    return (self.folder / "sources" / f"{digest}.py").read_text(encoding="utf-8", errors="replace")
                except OSError:
                    return None
        return None

    def close(self) -> None:
        """Close all files."""
        for process in self.processes:
            process.close()
