"""What watching costs: per step, over a short run, and in fixed time per run.

Two processes, one plain and one watched, take turns: each trains a block of steps while the other waits. So both meet the same
noise of the machine, and their medians can be compared. Every figure is the median over several such pairs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

WORKLOAD = str(Path(__file__).with_name("workload.py"))
PLAIN = [sys.executable]
WATCHED = [sys.executable, "-m", "doctorch", "run", "-q"]
BLOCK_MS = 10.0
"""Length of a turn: short, so that both sides meet the same moments of a noisy machine."""
STEPS = 300
CONTROLS = 3
"""Pairs of two plain runs: how far they lie from 1 is what the machine's noise does to the figures."""
EARLY = 70
"""Steps at the start that are followed more closely than the later ones."""
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Pair:
    """Step times of both sides, ms."""

    plain: list[float]
    watched: list[float]
    block: int
    """Steps of a turn."""

    @property
    def median_ratio(self) -> float:
        """Of each two blocks that ran one after the other the ratio of their medians, and of these the median."""
        return self.ratio_between(0, len(self.plain))

    def ratio_between(self, first: int, end: int) -> float:
        """The same for a part of the steps."""
        block = self.block
        starts = range(first, end, block)
        return median(median(self.watched[i : i + block]) / median(self.plain[i : i + block]) for i in starts)

    @property
    def whole_ratio(self) -> float:
        return sum(self.watched) / sum(self.plain)


@contextmanager
def training(command: list[str], batch: int, block: int, folder: str) -> Iterator[subprocess.Popen[str]]:
    """A workload that waits for its turns."""
    process = subprocess.Popen(
        [*command, WORKLOAD, "turns", str(batch), str(block)],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    try:
        yield process
    finally:
        process.stdin.close()
        process.wait(60)


def take_turn(process: subprocess.Popen[str]) -> list[float]:
    """Let it train one block."""
    assert process.stdin is not None
    assert process.stdout is not None
    print("go", file=process.stdin, flush=True)
    times: list[float] = json.loads(process.stdout.readline())
    return times


def pair(batch: int, block: int, second_command: list[str] = WATCHED) -> Pair:
    """One plain and one watched run of ``STEPS`` steps, block by block in turn."""
    plain: list[float] = []
    watched: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        training(PLAIN, batch, block, folder) as first,
        training(second_command, batch, block, folder) as second,
    ):
        for turn in range(STEPS // block):
            for process, times in ((first, plain), (second, watched))[:: 1 if turn % 2 else -1]:
                times += take_turn(process)
    return Pair(plain, watched, block)


def calibrated(wanted_ms: float) -> int:
    """The batch size at which the workload's step takes about that long here."""
    done = subprocess.run([*PLAIN, WORKLOAD, "calibrate", str(wanted_ms)], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return int(done.stdout)


def per_step(wanted_ms: float, promised: float, repeats: int) -> None:
    batch = calibrated(wanted_ms)
    block = max(2, round(BLOCK_MS / wanted_ms))
    pairs = [pair(batch, block) for _ in range(repeats)]
    control = sorted(pair(batch, block, PLAIN).median_ratio for _ in range(CONTROLS))
    plain = median(median(p.plain) for p in pairs)
    watched = median(median(p.watched) for p in pairs)
    ratios = sorted(p.median_ratio for p in pairs)
    print(f"step of {wanted_ms:g} ms (batch {batch}, {repeats} pairs of {STEPS} steps)")
    print(f"  median step           {plain:8.3f} ms plain {watched:8.3f} ms watched   ratio {median(ratios):.3f} (promised <= {promised})")
    print(f"                        ratios of the pairs: {', '.join(f'{r:.3f}' for r in ratios)}")
    print(f"                        two plain runs, which should give 1: {', '.join(f'{c:.3f}' for c in control)}")
    early = median(p.ratio_between(0, EARLY) for p in pairs)
    late = median(p.ratio_between(EARLY, STEPS) for p in pairs)
    print(f"                        the first {EARLY} steps {early:.3f}, the others {late:.3f}")
    whole = sorted(p.whole_ratio for p in pairs)
    print(
        f"  all {STEPS} steps         {median(sum(p.plain) for p in pairs):8.0f} ms plain "
        f"{median(sum(p.watched) for p in pairs):8.0f} ms watched   ratio {median(whole):.3f} (promised <= 1.08)"
    )
    largest = [max(p.watched) / median(p.watched) for p in pairs]
    largest_plain = [max(p.plain) / median(p.plain) for p in pairs]
    print(f"  largest step          {median(largest_plain):8.1f} x median plain {median(largest):5.1f} x median watched (promised <= 20)")
    first = median(p.watched[0] - p.plain[0] for p in pairs)
    second = median(p.watched[1] - p.plain[1] for p in pairs)
    print(f"  looked at closely     the first step {first:+.1f} ms, the second {second:+.1f} ms")


def per_run(repeats: int) -> None:
    """Fixed time per run, and the time from the script's last line to the end of the diagnosis."""
    walls: dict[str, list[float]] = {"plain": [], "watched": []}
    ends: dict[str, list[float]] = {"plain": [], "watched": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            for name, command in (("plain", PLAIN), ("watched", [*WATCHED[:-1]])):
                began = time.time()
                words = [*command, WORKLOAD, "short"]
                done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
                ended = time.time()
                walls[name].append(ended - began)
                ends[name].append(ended - float(done.stdout))
    extra = [w - p for p, w in zip(walls["plain"], walls["watched"], strict=True)]
    print(f"a run of ten steps ({repeats} pairs)")
    print(
        f"  whole run             {median(walls['plain']):8.2f} s plain {median(walls['watched']):8.2f} s watched   "
        f"extra {median(extra):.2f} s (promised <= 1.5)"
    )
    print(
        f"  last line to the end  {median(ends['plain']):8.2f} s plain {median(ends['watched']):8.2f} s watched, "
        "diagnosis printed (promised <= 2)"
    )


def main(repeats: int = 5) -> None:
    """Print all figures."""
    per_step(1.0, 1.05, repeats)
    per_step(10.0, 1.01, repeats)
    per_run(repeats)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
