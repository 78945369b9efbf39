"""The account of a step: how long it takes and where the time goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from doctorch.records.reader import Process, Steps

WARM_UP_SHARE = 0.1
"""Share of the steps at the start that are left out of timings: allocators, lazy initialisation, workers that start."""
WARM_UP_MAX = 10
"""… but never more than this many steps: a record of a week has no warm-up of hours."""


@dataclass(frozen=True)
class StepAccount:
    """Medians and shares over the steady state of one process. Times in ms, watching's own time taken out."""

    steps: int
    """Steps of the process."""
    measured: int
    """Steps behind the figures."""
    step_ms: float
    wait_ms: float
    forward_ms: float
    backward_ms: float
    optimizer_ms: float
    wait_share: float
    """Waiting for the loader as a share of all time, 0 to 1."""
    typical_wait_share: float
    """Median over the steps of waiting over the step's time: what a step is like, whatever a few slow ones were."""
    quiet_wait_share: float
    """The same from the quicker quarter: the lower quartile of the waiting over its sum with that of the rest of the step. Where other
    processes take the cores away, now from the fetch and now from the step, the quicker quarter is what it costs by itself."""
    total_ms: float
    """Sum of all steps, the warm-up too."""

    @property
    def other_ms(self) -> float:
        """What the named phases leave of the median step."""
        return max(0.0, self.step_ms - self.wait_ms - self.forward_ms - self.backward_ms - self.optimizer_ms)


def steady(steps: Steps) -> range:
    """The rows after the warm-up."""
    return range(min(WARM_UP_MAX, math.ceil(WARM_UP_SHARE * len(steps))), len(steps))


def step_account(process: Process) -> StepAccount | None:
    """The account, or None where no step was completed."""
    steps = process.steps
    rows = steady(steps)
    if not rows:
        return None
    watch = steps["watch_ms"]
    duration = [max(0.0, steps["duration_ms"][i] - _known(watch[i])) for i in range(len(steps))]
    kept = [i for i in rows if math.isfinite(duration[i])]
    if not kept:
        return None
    spent = sum(duration[i] * steps.width[i] for i in kept)
    waited = sum(_known(steps["wait_ms"][i]) * steps.width[i] for i in kept)

    def middle(name: str) -> float:
        return median(_known(steps[name][i]) for i in kept)

    quiet_wait = _lower_quartile([_known(steps["wait_ms"][i]) for i in kept])
    quiet_rest = _lower_quartile([max(0.0, duration[i] - _known(steps["wait_ms"][i])) for i in kept])
    return StepAccount(
        steps=steps.count,
        measured=sum(steps.width[i] for i in kept),
        step_ms=median(duration[i] for i in kept),
        wait_ms=middle("wait_ms"),
        forward_ms=middle("forward_ms"),
        backward_ms=middle("backward_ms"),
        optimizer_ms=middle("optimizer_ms"),
        wait_share=min(1.0, waited / spent) if spent > 0 else 0.0,
        typical_wait_share=median(min(1.0, _known(steps["wait_ms"][i]) / duration[i]) if duration[i] > 0 else 0.0 for i in kept),
        quiet_wait_share=quiet_wait / (quiet_wait + quiet_rest) if quiet_wait > 0 else 0.0,
        total_ms=sum(d * w for d, w in zip(duration, steps.width, strict=True) if math.isfinite(d)),
    )


def _lower_quartile(values: list[float]) -> float:
    return sorted(values)[len(values) // 4]


def _known(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def backwards_per_step(process: Process) -> float:
    """Median number of backward calls in a step; 1 where it is unknown."""
    counts: Sequence[float] = [value for value in process.steps["backwards"] if math.isfinite(value) and value > 0]
    return median(counts) if counts else 1.0
