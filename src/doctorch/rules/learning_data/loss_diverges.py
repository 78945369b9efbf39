"""loss-diverges: the loss grows, or stops being a number, a symptom."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, median

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of

MIN_STEPS = 8
"""Losses of which a growth may be told: fewer are single batches."""
LAST = 3
"""Steps at the end without a finite loss that make «stopped being a number»: a single one is a bad batch, or a step skipped."""
GROWN = 10.0
"""Multiple of its start at which a loss has diverged whatever the noise."""
RISEN = 1.5
"""Multiple at which it is worth a line under a cause that is known, not a word by itself: many healthy losses rise by as much (the
parts of a game, a term that is phased in, values of a policy that improves)."""
UNDER_A_CAUSE = 0.5
WITHOUT_LOSS = 0.5
"""Share of the steps whose loss must be known: where it mostly is not, a missing value says nothing."""


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    values = list(process.steps["loss"])
    index = list(process.steps.index)
    known = [i for i, value in enumerate(values) if math.isfinite(value)]
    place = max(process.facts("backward"), key=lambda fact: fact.count, default=None)
    broken = _broken(values, known)
    if broken is not None:
        finite = values[:broken]
        yield _finding(
            place,
            "not-finite",
            {"step": index[broken] + 1, "last": finite[-1], "first": finite[0], "steps": len(values) - broken, "highest": max(finite)},
            0.95,
        )
        return
    finite = [values[i] for i in known]
    if len(finite) < MIN_STEPS:
        return
    fifth = max(2, len(finite) // 5)
    # The first steps may themselves be thrown up by a rate that is too high: the least of the start is where it came from.
    first = min(finite[0], fmean(finite[:fifth]))
    last = median(finite[-fifth:])
    if first <= 0 or last < RISEN * first or last < median(finite[:fifth]):
        return
    alone = last >= GROWN * first and len(_stepping(process)) <= 1
    yield _finding(
        place,
        "grows",
        {"first": first, "last": last, "factor": last / first, "steps": len(finite), "highest": max(finite)},
        0.85 if alone else UNDER_A_CAUSE,
    )


def _broken(values: list[float], known: list[int]) -> int | None:
    """The step from which on no loss is finite, where there were finite ones before."""
    if not known or len(values) - known[-1] - 1 < LAST:
        return None
    until = values[: known[-1] + 1]
    if len(known) < WITHOUT_LOSS * len(until):
        return None  # often unknown: a backward on several values, a loss without a value of its own
    return known[-1] + 1


def _stepping(process: Process) -> list[Fact]:
    return [fact for fact in process.facts("optimizer") if fact.get("steps")]


def _finding(place: Fact | None, message: str, values: dict[str, Value], confidence: float) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message=message,
        values=values,
        place=place_of(place) if place is not None else None,
        why=f"{message}-why",
        fix="look",
        confidence=confidence,
    )


RULE = Rule(
    id="loss-diverges",
    title="The loss grows or is no number any more",
    severity=Severity.WARNING,
    needs=frozenset({"backward"}),
    examine=examine,
    symptom=True,
)
