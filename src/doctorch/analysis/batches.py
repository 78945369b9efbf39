"""What the batches were: the inputs of the models and the targets of the losses, as the observers counted them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from doctorch.analysis.losses import entropy
from doctorch.records.reader import Fact, Process


def inputs(process: Process, phase: str = "train") -> list[Fact]:
    """The floating-point tensors that models were given in a phase, those that were read, by number of rows."""
    found = [
        fact
        for fact in process.facts("input")
        if fact.get("phase") == phase and fact.get("checked") and "float" in str(fact.get("dtype")) and fact.get("std") is not None
    ]
    return sorted(found, key=lambda fact: -int(fact.get("rows") or 0))


def integer_inputs(process: Process, phase: str = "train") -> list[Fact]:
    """The integer tensors that models were given: tokens, categories."""
    return [fact for fact in process.facts("input") if fact.get("phase") == phase and "int" in str(fact.get("dtype"))]


def targets(process: Process, phase: str = "train") -> list[Fact]:
    """The facts of kind ``target`` of a phase, the one with the most calls first."""
    return sorted((fact for fact in process.facts("target") if fact.get("phase") == phase), key=lambda fact: -fact.count)


def only_target(process: Process) -> Fact | None:
    """The training's loss function, where it is one at one place."""
    found = targets(process)
    return found[0] if len(found) == 1 else None


def together(given: Fact, target: Fact) -> bool:
    """Whether a loss is of the model's answer to that input: the graph of the loss led back to that call. In records that do not tell,
    whether both were in use in the same steps."""
    answers = target.get("answers")
    if answers is None:
        return max(given.step_first, target.step_first) <= min(given.step_last, target.step_last)
    return [given.get("root"), given.file, given.line] in [list(one) for one in answers]


@dataclass(frozen=True)
class Choices:
    """What a classifier chose over some calls."""

    rows: int
    labels: Mapping[str, int]
    chosen: Mapping[str, int]
    right: Mapping[str, int]

    @property
    def accuracy(self) -> float:
        return sum(self.right.values()) / self.rows if self.rows else 0.0

    @property
    def majority(self) -> str:
        """The most frequent label."""
        return max(self.labels, key=lambda label: self.labels[label], default="")

    @property
    def majority_share(self) -> float:
        return self.labels.get(self.majority, 0) / self.rows if self.rows else 0.0


def choices(recent: Sequence[Sequence[object]]) -> Choices:
    """The sum over calls as the fact ``target`` holds them in ``recent``."""
    sums: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    rows = 0
    for _, n, *maps in recent:
        rows += int(n)  # type: ignore[call-overload]
        for counter, counts in zip(sums, maps, strict=True):
            counter.update(counts)  # type: ignore[call-overload]
    return Choices(rows, *sums)


def series(fact: Fact) -> list[tuple[int, float]]:
    """(step, value) of a loss function, finite ones only."""
    return [(int(step), float(value)) for step, value in fact.get("values") or () if value is not None and math.isfinite(value)]


def expected_entropy(counts: Mapping[str, int], rows: float) -> float:
    """Entropy that a batch of ``rows`` samples drawn at random shows on average: that of the set less the bias of a small sample
    (Miller 1955: (classes - 1) / 2n), at least a quarter of what the set or the batch allow."""
    whole = entropy(counts.values())
    if rows < 2:
        return 0.0
    bound = min(whole, math.log(rows))
    return max(0.25 * bound, whole - (len(counts) - 1) / (2 * rows))


def answer_spread(fact: Fact) -> float | None:
    """How far the model's answers differ over a batch, relative to their size, over the last calls; None where it was not read."""
    known = list(fact.get("spread") or ())[-16:]
    if not known:
        return None
    return fmean(float(spread) for _, spread, _ in known) / max(1e-12, fmean(float(size) for _, _, size in known))
