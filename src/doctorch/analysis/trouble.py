"""Is anything wrong with the course of the training, in one word: what a rule asks before it blames something that may be harmless."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, median

from doctorch.analysis import batches
from doctorch.analysis.losses import label_entropy
from doctorch.records.reader import Fact, Process

MIN_STEPS = 30
"""Losses before «it does not fall» may be said."""
FALLEN = 0.05
"""Share of its start that a loss must have lost to have fallen."""
NEAR = 0.03
"""Relative distance from what a guess gives within which the loss is at it."""
GROWN = 2.0
"""Multiple of its start at which a loss has grown."""


@dataclass(frozen=True)
class Trouble:
    """What is wrong with the loss."""

    kind: str
    """``not-finite``, ``grows``, ``guess`` (at the value that a guess without the inputs gives) or ``stuck``."""
    first: float
    last: float
    """Median of the last fifth; NaN where the loss is no number any more."""
    steps: int
    reference: float | None = None
    """What a guess gives, where that is known."""


def trouble(process: Process) -> Trouble | None:
    """What is wrong with the course of the loss, or None where it falls or is too short to tell."""
    values = list(process.steps["loss"])
    known = [i for i, v in enumerate(values) if math.isfinite(v)]
    if not known:
        return None
    if len(values) - known[-1] > 3 and len(known) > known[-1] // 2:
        return Trouble("not-finite", values[known[0]], math.nan, len(values))
    finite = [values[i] for i in known]
    if len(finite) < MIN_STEPS:
        return None
    fifth = len(finite) // 5
    first, last = min(finite[0], fmean(finite[:fifth])), median(finite[-fifth:])
    if first > 0 and last > GROWN * first:
        return Trouble("grows", first, last, len(finite))
    reference = guess(process)
    mean_last = fmean(finite[-fifth:])
    if reference is not None and mean_last > (1 - NEAR) * reference:
        return Trouble("guess", first, last, len(finite), reference)
    if first > 0 and mean_last > (1 - FALLEN) * first:
        return Trouble("stuck", first, last, len(finite), reference)
    return None


def guess(process: Process) -> float | None:
    """The loss of the best answer that does not look at the inputs: the entropy of the labels, or the variance of the targets.
    None where the loss is not a single known function."""
    fact = batches.only_target(process)
    if fact is None or fact.get("weighted"):
        return None
    call = next((one for one in process.facts("loss_call") if one.key == fact.get("loss_call")), None)
    if call is None or call.get("reduction", "mean") != "mean" or call.get("label_smoothing"):
        return None
    backwards = max(process.facts("backward"), key=lambda one: one.count, default=None)
    if backwards is None or not _is_the_loss(process, fact):
        return None
    labels = fact.get("labels")
    if labels:
        prior, _ = label_entropy(labels, call.get("ignore_index"))
        return prior if prior > 0 else None
    if fact.get("function") == "mse_loss" and fact.get("target_var"):
        return float(fact["target_var"])
    return None


def _is_the_loss(process: Process, fact: Fact) -> bool:
    """Whether what backward ran on is this function's value alone: of steps in which both are known they are equal."""
    steps = dict(process.steps.losses())
    pairs = [(value, steps[step]) for step, value in batches.series(fact) if step in steps]
    if not pairs:
        return False
    same = sum(abs(one - two) <= 1e-4 * max(abs(one), abs(two), 1e-12) for one, two in pairs)
    return same >= 0.8 * len(pairs)
