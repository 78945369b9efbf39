"""batchnorm-eval-mismatch: BatchNorm's running statistics are not those of the batches, so the model is another one in eval mode."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from doctorch.analysis import probes
from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related

LATE = 3
"""Looks at the end of the training that count."""
FAR = 0.5
"""Deviations of the mean, or logarithm of the ratio of variances; and what a batch of so few values differs by anyway on top."""
NOISE = 2.0
"""Over the root of the number of values per channel: mean and log variance of normal values scatter by 1 and 1.4 of these."""
WORSE = 1.5
"""Factor by which the same batch's loss must be higher with the running statistics, at the same weights."""
COMING = 0.7
"""Share of the distance at the first of these looks that is left at the last, below which the statistics come nearer."""
MEMORY = 3.0
"""Momentum times steps below which running statistics have not come away from their initial values (95 %)."""
FEW = 8
"""Values per channel from which a variance is mostly noise."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        # Two players normalise by batches of two kinds, and are compared in none of the usual ways.
        if sum(bool(fact.get("steps")) for fact in process.facts("optimizer")) != 1:
            continue
        far = [(fact, *off) for fact in process.facts("norm") if (off := _off(fact)) is not None]
        loss = _losses(process)
        if far and loss is not None:
            far.sort(key=lambda one: -max(one[1], one[2]))
            yield _finding(process, far, loss)


def _off(fact: Fact) -> tuple[float, float, int] | None:
    """Medians over the last looks of the distance of means and of log variances, and the values per channel; None where they are near."""
    looks = list(fact.get("looks") or ())[-LATE:]
    if len(looks) < LATE:
        return None
    count = int(median(look[3] for look in looks))
    bound = FAR + NOISE / math.sqrt(count)
    shift, ratio = median(look[1] for look in looks), median(look[2] for look in looks)
    if all(looks[-1][column] < COMING * looks[0][column] for column, value in ((1, shift), (2, ratio)) if value > bound):
        return None  # still on their way from their initial values, and arriving
    return (shift, ratio, count) if max(shift, ratio) > bound else None


def _losses(process: Process) -> tuple[float, float] | None:
    """The loss of the same batch at the same weights with the batch's statistics and with the running ones."""
    tried = probes.probe(process, "running-statistics")
    control, running = (tried.arms.get(name) if tried is not None else None for name in ("control", "running"))
    if control is None or running is None or control.first <= 0 or not running.first > WORSE * control.first:
        return None
    return control.first, running.first


def _finding(process: Process, far: list[tuple[Fact, float, float, int]], loss: tuple[float, float]) -> Finding:
    fact, shift, ratio, count = far[0]
    momentum = fact.get("momentum")
    values: dict[str, Value] = {
        "name": str(fact["name"]),
        "cls": str(fact["cls"]),
        "layers": len(far),
        "shift": shift,
        "factor": math.exp(ratio),
        "momentum": float(momentum) if momentum is not None else None,
        "count": count,
        "steps": process.n_steps,
        "batch_loss": loss[0],
        "running_loss": loss[1],
    }
    slow = momentum is not None and float(momentum) * process.n_steps < MEMORY
    few = count < FEW
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="far",
        values=values,
        place=place_of(fact),
        related=related(*(place_of(other) for other, *_ in far[1:])),
        why="slow" if slow else "few" if few else "vary",
        fix="momentum" if slow else "norm" if few else "batches",
        proof="copies",
        explains=("overfitting",),
        confidence=0.9,
    )


RULE = Rule(
    id="batchnorm-eval-mismatch",
    title="BatchNorm's running statistics are not those of the batches",
    severity=Severity.WARNING,
    needs=frozenset({"norm"}),
    examine=examine,
)
