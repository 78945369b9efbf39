"""How large the record of a week gets, and how long it takes to read: steps and facts are generated, no training runs."""

from __future__ import annotations

import math
import random
import sys
import tempfile
import time
from pathlib import Path

from doctorch.diagnose import diagnose
from doctorch.records import schema
from doctorch.records.reader import Run
from doctorch.records.writer import RecordWriter

WEEK_S = 7 * 24 * 3600
STEP_MS = 100.0
HANDFUL = 8192
"""Steps between two flushes; a real run flushes more often and smaller, which only costs time."""


def row(step: int, random_: random.Random) -> tuple[float, ...]:
    """A step with the noise of real ones: noise is what does not compress."""
    duration = STEP_MS * random_.uniform(0.9, 1.1)
    wait, forward, backward = 0.1 * duration * random_.random(), 0.3 * duration, 0.4 * duration * random_.uniform(0.9, 1.1)
    loss = 2.3 * math.exp(-step / 1e6) + 0.1 * random_.random()
    return (step * STEP_MS / 1000, duration, duration, wait, forward, backward, 0.1 * duration, 0.01, 1.0, loss, loss, loss)


def write(folder: str, steps: int) -> float:
    """Write a record of that many steps; seconds per million steps."""
    meta = {"schema": schema.VERSION, "pid": 1, "role": "training", "steps": steps, "started": 0.0, "notes": [], "failures": []}
    writer = RecordWriter(folder, {**meta, "ended": None})
    for number in range(4000):
        data = {"name": f"layer.{number}.weight", "shape": [512, 512], "used": 3}
        writer.entry("param", str(number), None, None, data.copy)
    random_ = random.Random(0)
    with writer.lock:
        writer._open()
        spent = 0.0
        for start in range(0, steps, HANDFUL):
            rows = [row(step, random_) for step in range(start, min(start + HANDFUL, steps))]
            began = time.perf_counter()
            writer.pending += rows
            writer._flush()
            spent += time.perf_counter() - began
        connection = writer._connection
        assert connection is not None
        connection.close()
    return spent / steps * 1e6


def size_of(folder: str) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def main(weeks: float = 1.0) -> None:
    """Print size and times."""
    steps = int(weeks * WEEK_S * 1000 / STEP_MS)
    with tempfile.TemporaryDirectory() as folder:
        seconds = write(folder, steps)
        size = size_of(folder)
        began = time.perf_counter()
        run = Run(folder)
        (process,) = run.processes
        rows = len(process.steps)
        covered = process.steps.count
        opened = time.perf_counter() - began
        run.close()
        began = time.perf_counter()
        fresh = Run(folder)
        diagnose(fresh)
        fresh.close()
        diagnosed = time.perf_counter() - began
    print(f"{weeks:g} week of steps of {STEP_MS:g} ms: {steps:,} steps, {covered:,} kept as {rows:,} rows")
    print(f"  size                  {size / 2**20:8.2f} MiB, {size / 2**20 / (steps / 1e6):.2f} MiB per million steps (promised <= 50)")
    print(f"  writing               {seconds:8.2f} s per million steps, on the writer's thread")
    print(f"  reading all steps     {opened:8.2f} s")
    print(f"  diagnosis             {diagnosed:8.2f} s")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
