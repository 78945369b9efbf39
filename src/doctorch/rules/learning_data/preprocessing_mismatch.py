"""preprocessing-mismatch: training and validation are given numbers of different scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from doctorch.analysis import batches
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import data_place
from doctorch.rules.shared import place_of
from doctorch.source.project import project_of

RATIO = 5.0
"""Of the deviations of both, from which the preparation differs: other days, other regions or harder samples differ by less than two."""
GAP = 5.0
"""Distance of the means in deviations (the larger of both)."""
MIN_ROWS = 32
"""Rows on each side."""


@dataclass(frozen=True)
class Side:
    fact: Fact
    mean: float
    std: float


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None:
        return
    for given in batches.inputs(process, "eval"):
        valid = _side(given, after=1)
        same = [one for one in batches.inputs(process) if (one.get("root"), one.get("name")) == (given.get("root"), given.get("name"))]
        sides = [side for fact in same if _alike(fact, given) and (side := _side(fact)) is not None]
        if valid is None or not sides or not all(_differs(side, valid) for side in sides):
            continue
        train = sides[0]
        place, others = data_place(project_of(run), given)
        ratio = valid.std / train.std if train.std > 0 else math.inf
        yield Finding(
            rule=RULE.id,
            severity=Severity.WARNING,
            message="scale" if not 1 / RATIO < ratio < RATIO else "offset",
            values={
                "train_mean": train.mean, "train_std": train.std, "valid_mean": valid.mean, "valid_std": valid.std,
                "ratio": max(ratio, 1 / ratio) if ratio > 0 else math.inf, "gap": abs(valid.mean - train.mean),
                "valid_line": given.line, "train_line": train.fact.line,
            },
            place=place,
            related=tuple(dict.fromkeys(p for p in (*others, place_of(train.fact)) if p is not None and p != place)),
            why="other",
            fix="same",
            explains=("overfitting",),
            confidence=0.9,
        )  # fmt: skip
        return


def _side(fact: Fact, after: int = 0) -> Side | None:
    """A typical batch; None where too little was read, or all samples are the same (a trial call)."""
    recent = [one for one in fact.get("recent") or () if one[0] >= after]
    if not recent or int(fact.get("rows") or 0) < MIN_ROWS or fact.get("equal_rows"):
        return None
    return Side(fact, median(float(one[1]) for one in recent), median(float(one[2]) for one in recent))


def _alike(one: Fact, other: Fact) -> bool:
    """The same kind of tensor: as many dimensions, and as many features or channels."""
    a, b = one.get("shape") or [], other.get("shape") or []
    if len(a) != len(b) or len(a) < 2:
        return False
    return bool(a[1] == b[1]) if len(a) >= 4 else bool(a[-1] == b[-1])


def _differs(train: Side, valid: Side) -> bool:
    low, high = sorted((train.std, valid.std))
    return high > 0 and (high >= RATIO * low or abs(train.mean - valid.mean) >= GAP * high)


RULE = Rule(
    id="preprocessing-mismatch",
    title="Training and validation are prepared differently",
    severity=Severity.WARNING,
    needs=frozenset({"input"}),
    examine=examine,
)
