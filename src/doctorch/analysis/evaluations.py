"""The loss on other data over the run, beside that of the training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean

from doctorch.records.reader import Fact, Process


@dataclass(frozen=True)
class Pass:
    """One evaluation."""

    step: int
    """Completed steps before it."""
    loss: float
    training: float
    """Mean training loss since the evaluation before, NaN where it is not known."""


def passes(process: Process, fact: Fact) -> list[Pass]:
    """The evaluations of a fact of kind ``evaluation``, finite ones only, with the training loss of the steps before each."""
    index, losses = process.steps.index, process.steps["loss"]
    found: list[Pass] = []
    start = at = 0
    for step, loss, _ in fact.get("passes") or ():
        while at < len(index) and index[at] < step:
            at += 1
        known = [value for value in losses[start:at] if math.isfinite(value)]
        if loss is not None and math.isfinite(loss):
            found.append(Pass(int(step), float(loss), fmean(known) if known else math.nan))
        start = at
    return found
