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
    late_drop: float
    """Mean of the third quarter less mean of the last."""
    late_error: float
    """Standard error of ``late_drop``."""

    @property
    def still_falls(self) -> bool:
        """Whether the fall in the second half is more than chance: three standard errors."""
        return self.late_drop > 3 * self.late_error


MIN_POINTS = 20
"""Below this many values no course is computed: tenths of it would be single values."""


LOST = 5
"""Steps at the end without a number: one or two may be on their way from an accelerator."""


def course(values: Sequence[float]) -> Course | None:
    """The course of a series of losses, or None when there are fewer than 20 finite values."""
    finite = [v for v in values if math.isfinite(v)]
    n = len(finite)
    if n < MIN_POINTS:
        return None
    tenth, quarter = max(1, n // 10), max(2, n // 4)
    start, late, end, half = finite[:quarter], finite[-2 * quarter : -quarter], finite[-quarter:], finite[n // 2 :]
    return Course(
        n=n,
        first=fmean(finite[:tenth]),
        level=fmean(half),
        spread=pstdev(half),
        lowest=min(fmean(finite[i : i + tenth]) for i in range(0, n - tenth + 1, tenth)),
        drop=fmean(start) - fmean(end),
        late_drop=fmean(late) - fmean(end),
        late_error=math.sqrt((pstdev(late) ** 2 + pstdev(end) ** 2) / quarter),
    )


def losses(process: Process) -> list[float]:
    """The losses of a process by step, unknown ones left out."""
    return [value for _, value in process.steps.losses()]


def share_left(process: Process) -> float | None:
    """The mean loss of the last fifth as a share of where it began; infinite where the loss left the numbers.

    It began at the mean of the first tenth, or at the very first value where the loss rose at once.

    None with fewer than 20 losses, and where it begins at zero or below, so that no share can be taken.
    """
    raw = process.steps["loss"]
    values = losses(process)
    if values and len(raw) >= MIN_POINTS and all(math.isnan(value) for value in raw[-LOST:]):
        return math.inf  # known before, and no number any more
    if len(values) < MIN_POINTS:
        return None
    first = min(values[0], fmean(values[: max(1, len(values) // 10)]))
    if not math.isfinite(first) or first <= 0:
        return None
    tail = fmean(values[-max(1, len(values) // 5) :])
    return tail / first if math.isfinite(tail) else math.inf


def entropy(counts: Iterable[float]) -> float:
    """Entropy of a distribution given as counts, in nats."""
    known = [c for c in counts if c > 0]
    total = sum(known)
    return -sum(c / total * math.log(c / total) for c in known) if total else 0.0


def label_entropy(counts: Mapping[str, int], ignore_index: int | None) -> tuple[float, float]:
    """Entropy of the labels seen, the ignored one left out, in nats, and its standard error (that of a mean of -ln p over the labels)."""
    kept = [count for label, count in counts.items() if count > 0 and (ignore_index is None or label != str(ignore_index))]
    total, mean = sum(kept), entropy(kept)
    if not total:
        return 0.0, 0.0
    variance = sum(count / total * (-math.log(count / total) - mean) ** 2 for count in kept)
    return mean, math.sqrt(variance / total)


def softmax_twice_floor(n_classes: int) -> float:
    """The least cross-entropy that probabilities can reach: the input (1, 0, …, 0) gives log(e + n - 1) - 1."""
    return math.log(math.e + n_classes - 1) - 1
