"""Writes run folders from facts given by hand, so that rules are tested without a training."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import textwrap
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doctorch.records import schema
from doctorch.records.reader import Run

DEFAULTS = {"duration_ms": 10.0, "duration_max_ms": 10.0, "backwards": 1.0}
LAST = 10_000
"""Step of the last state of each fact."""


class RecordBuilder:
    """One run: a script, and processes with facts and steps."""

    def __init__(self, folder: Path, source: str = "import torch\n", *, name: str = "train.py", **manifest: Any) -> None:
        self.home = folder
        self.folder = folder / "run"
        (self.folder / "sources").mkdir(parents=True)
        self.script = folder / name
        self.text = textwrap.dedent(source).lstrip("\n")
        self.script.write_text(self.text, encoding="utf-8")
        self.digest = hashlib.sha256(self.script.read_bytes()).hexdigest()
        (self.folder / "sources" / f"{self.digest}.py").write_bytes(self.script.read_bytes())
        self.manifest = {
            "command": ["python", name],
            "script": str(self.script),
            "cwd": str(folder),
            "seconds": 4.2,
            "exit_code": 0,
        } | manifest
        self.count = 0
        self.process()

    def line(self, part: str) -> int:
        """The first line of the script that holds a text."""
        return next(number for number, line in enumerate(self.text.split("\n"), 1) if part in line)

    def site(self, part: str | None) -> dict[str, Any] | None:
        """The site of the first line that holds a text."""
        return None if part is None else {"file": str(self.script), "line": self.line(part), "function": "<module>"}

    def process(self, **meta: Any) -> RecordBuilder:
        """Begin another process; what follows belongs to it. The first, a training process, is there from the start."""
        self.count += 1
        self.connection = sqlite3.connect(self.folder / f"process-{self.count}-0.sqlite")
        self.connection.executescript(schema.CREATE)
        self.meta(
            **{
                "schema": schema.VERSION, "pid": self.count, "parent_pid": 0, "role": "training", "steps": 0, "cpus": 8,
                "deep_segments": 5, "watch_ns": 6_000_000, "loop_ns": 1_000_000_000,
                "sources": {str(self.script): self.digest}, "torch": "2.6.0", "python": "3.11.0",
            } | meta
        )  # fmt: skip
        return self

    def meta(self, **values: Any) -> RecordBuilder:
        """Set meta values of the current process."""
        rows = [(key, json.dumps(value)) for key, value in values.items()]
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES(?, ?)", rows)
        self.connection.commit()
        return self

    def fact(
        self, kind: str, key: str | int, data: Mapping[str, Any] | None = None, *, at: str | None = None, count: int = 1, **more: Any
    ) -> RecordBuilder:
        """Add a fact that was seen through the whole run; ``at`` is a text on its line."""
        file, line = (str(self.script), self.line(at)) if at is not None else (None, None)
        row = (kind, str(key), file, line, 0, LAST, count, json.dumps({**(data or {}), **more}))
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES(?, ?, ?, ?, ?, ?, ?, ?)", row)
        self.connection.commit()
        return self

    def steps(self, losses: Sequence[float], **columns: float | Sequence[float]) -> RecordBuilder:
        """Add steps of level 0 with these losses; other columns are one value for all or one a step."""
        n = len(losses)
        given: dict[str, Any] = DEFAULTS | {"loss": losses, "loss_min": losses, "loss_max": losses} | columns
        made = []
        for name in schema.STEP_COLUMNS:
            value = given.get(name, 0.0)
            made.append(array("f", value if isinstance(value, Sequence) else [float(value)] * n))
        self.connection.execute("INSERT INTO steps VALUES(0, 0, ?, ?)", (n, schema.pack_columns(made)))
        return self.meta(steps=n)

    def run(self) -> Run:
        """The run, read."""
        (self.folder / "manifest.json").write_text(json.dumps(self.manifest), encoding="utf-8")
        self.connection.commit()
        return Run(self.folder)
