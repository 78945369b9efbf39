"""overfitting: the loss on other data rises while that of the training goes on falling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from statistics import fmean

from doctorch.analysis.evaluations import Pass, passes
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place

MIN_PASSES = 6
MIN_AFTER = 3
"""Evaluations after the best one."""
RISE = 0.1
"""Share by which the last evaluations must lie above the best: well above what the best of a noisy series is below its mean."""
FALL = 0.1
"""Share by which the training loss must have fallen meanwhile."""
OFTEN = 0.5
"""Share of the evaluations with a single step before them above which they are part of each step, as a policy's distance from an
older one is."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        found = [one for fact in process.facts("evaluation") if (one := _judge(process, fact)) is not None]
        yield from sorted(found, key=lambda one: -float(one.values["rise"] or 0))[:1]


def _judge(process: Process, fact: Fact) -> Finding | None:
    series = passes(process, fact)
    if len(series) < MIN_PASSES or not _trains_by(process, str(fact.get("function"))):
        return None
    if sum(two.step - one.step <= 1 for one, two in itertools.pairwise(series)) > OFTEN * len(series):
        return None
    at = min(range(len(series)), key=lambda i: series[i].loss)
    best, after = series[at], series[at + 1 :]
    if len(after) < MIN_AFTER or best.loss <= 0:
        return None
    end = after[-max(2, len(after) // 3) :]
    last, training = fmean(one.loss for one in end), fmean(one.training for one in end)
    late = after[len(after) // 2 :]
    if last < (1 + RISE) * best.loss or min(one.loss for one in late) < (1 + RISE / 2) * best.loss or _settled(after):
        return None
    if not (best.training > 0 and training < (1 - FALL) * best.training and training < last):
        return None
    backward = max(process.facts("backward"), key=lambda one: one.count, default=None)
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE,
        message="gap",
        values={
            "best": best.loss,
            "step": best.step,
            "last": last,
            "rise": last / best.loss - 1,
            "then": best.training,
            "now": training,
            "gap": last - training,
            "passes": len(series),
            "steps": process.n_steps,
        },
        place=place_of(fact),
        related=related(site_place(fact.get("caller")), place_of(backward) if backward is not None else None),
        why="memory",
        fix="stop",
        confidence=0.8,
    )


def _trains_by(process: Process, function: str) -> bool:
    return any(call.get("train_count") and call.get("function") == function for call in process.facts("loss_call"))


def _settled(after: list[Pass]) -> bool:
    """Whether the loss has come down again from a peak since the best."""
    highest = max(one.loss for one in after)
    return after[-1].loss < 0.7 * highest


RULE = Rule(
    id="overfitting",
    title="The loss on other data rises while the training's falls",
    severity=Severity.ADVICE,
    needs=frozenset({"evaluation"}),
    examine=examine,
)
