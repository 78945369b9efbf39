"""What the two rules on the learning rate share: the optimizer that is meant, and what the experiments showed of its rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from doctorch.analysis import probes
from doctorch.analysis.probes import ArmResult
from doctorch.records.reader import Fact, Process, Run

FULL_START = 0.9
"""Share of the trained elements that must have got a new value for a fresh start to be one."""
MIN_LOSSES = 12
MIN_FINITE = 5
FALLEN, RISEN = 0.8, 1.5
"""Shares of the first loss: under the first it has fallen, above the second a step threw it up."""


@dataclass(frozen=True)
class Rates:
    """A training whose loss did not fall, and its experiments."""

    process: Process
    optimizer: Fact
    rate: float
    """The learning rate at the time of the experiments."""
    built: float
    """The rate with which the optimizer was built: a schedule may have changed it since."""
    first: float
    """The loss at the start."""
    level: float
    """The mean loss of the last fifth; NaN where it stopped being a number."""
    steps: int
    own: Sequence[ArmResult]
    """On one batch held fixed, from the present state, by factor."""
    fresh: Sequence[ArmResult]
    """The same from a fresh start; empty where there was none."""
    ladder: Sequence[ArmResult]
    """The script's own next steps."""
    fresh_ladder: Sequence[ArmResult]
    """The same from a fresh start."""
    at_step: int

    def arm(self, side: Sequence[ArmResult], factor: float = 1.0) -> ArmResult | None:
        return next((arm for arm in side if arm.factor == factor), None)


def _values(process: Process) -> list[float]:
    """The losses, NaN where one that was known before stopped being a number."""
    values = list(process.steps["loss"])
    known = next((i for i, value in enumerate(values) if math.isfinite(value)), len(values))
    return values[known:]


def fell_until_it_broke(process: Process) -> bool:
    """Whether the loss fell step by step until it was no number at once: no step overshot, an operator left its domain."""
    values = _values(process)
    finite = values[: next((i for i, value in enumerate(values) if not math.isfinite(value)), len(values))]
    return len(values) > len(finite) >= MIN_FINITE and median(finite[-3:]) < FALLEN * finite[0] and max(finite) <= RISEN * finite[0]


def examined(run: Run) -> Rates | None:
    """The rates of the run's training, where experiments on them were made and one optimizer is meant."""
    if not run.training:
        return None
    process = run.training[0]
    one_batch = probes.probe(process, "one-batch")
    optimizers = [fact for fact in process.facts("optimizer") if fact.get("steps")]
    values = _values(process)
    # Several optimizers play against each other or move parts at rates of their own: no single rate is to blame.
    if one_batch is None or len(optimizers) != 1 or len(values) < MIN_LOSSES:
        return None
    known = [float(rate) for rate in (one_batch.data.get("rates") or {}).get(optimizers[0].key) or () if rate]
    built = [float(rate) for rate in optimizers[0].get("built_lr") or () if rate]
    if not known:
        return None
    fifth = max(1, len(values) // 5)
    tail = [value for value in values[-fifth:] if math.isfinite(value)]
    start = [value for value in values[:fifth] if math.isfinite(value)]
    ladder = probes.probe(process, "rate-ladder")
    fresh, fresh_ladder = (
        [arm for arm in tried.side("fresh ") if float(arm.extra.get("fresh") or 0.0) >= FULL_START] if tried is not None else []
        for tried in (one_batch, ladder)
    )
    return Rates(
        process=process,
        optimizer=optimizers[0],
        rate=median(known),
        built=median(built) if built else median(known),
        first=min(values[0], fmean(start)) if start and math.isfinite(values[0]) else values[0],
        level=fmean(tail) if math.isfinite(values[-1]) else math.nan,
        steps=process.n_steps,
        own=one_batch.side(""),
        fresh=fresh,
        ladder=ladder.side("") if ladder is not None else (),
        fresh_ladder=fresh_ladder,
        at_step=one_batch.at_step,
    )
