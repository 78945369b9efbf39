"""The course of the loss: does it move, and is the value where it stays a known one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from doctorch.records.reader import Process


@dataclass(frozen=True)
class Course:
    """A loss over time, in numbers."""

    n: int
    """Steps with a known, finite loss."""
    first: float
    """Mean of the first tenth."""
    level: float
    """Mean of the second half."""
    spread: float
    """Standard deviation in the second half."""
    lowest: float
    """Lowest mean of any tenth."""
    drop: float
    """Mean of the first quarter less mean of the last, positive when it falls."""
    drop_error: float
    """Standard error of ``drop``."""

    @property
    def falls(self) -> bool:
        """Whether the fall is more than chance: three standard errors."""
        return self.drop > 3 * self.drop_error


MIN_POINTS = 20
"""Below this many values no course is computed: tenths of it would be single values."""


def course(values: Sequence[float]) -> Course | None:
    """The course of a series of losses, or None when there are fewer than 20 finite values."""
    finite = [v for v in values if math.isfinite(v)]
    n = len(finite)
    if n < MIN_POINTS:
        return None
    tenth, quarter = max(1, n // 10), max(2, n // 4)
    start, end, half = finite[:quarter], finite[-quarter:], finite[n // 2 :]
    return Course(
        n=n,
        first=fmean(finite[:tenth]),
        level=fmean(half),
        spread=pstdev(half),
        lowest=min(fmean(finite[i : i + tenth]) for i in range(0, n - tenth + 1, tenth)),
        drop=fmean(start) - fmean(end),
        drop_error=math.sqrt((pstdev(start) ** 2 + pstdev(end) ** 2) / quarter),
    )


def losses(process: Process) -> list[float]:
    """The losses of a process by step, unknown ones left out."""
    return [value for _, value in process.steps.losses()]


def entropy(counts: Iterable[float]) -> float:
    """Entropy of a distribution given as counts, in nats."""
    known = [c for c in counts if c > 0]
    total = sum(known)
    return -sum(c / total * math.log(c / total) for c in known) if total else 0.0


def label_entropy(counts: Mapping[str, int], ignore_index: int | None) -> float:
    """Entropy of the labels seen, the ignored one left out."""
    return entropy(count for label, count in counts.items() if ignore_index is None or label != str(ignore_index))


def softmax_twice_floor(n_classes: int) -> float:
    """The least cross-entropy that probabilities can reach: the input (1, 0, …, 0) gives log(e + n - 1) - 1."""
    return math.log(math.e + n_classes - 1) - 1
