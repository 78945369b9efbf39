"""class-imbalance: one class is nearly all there is, and the model has learned to say nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean

from doctorch.analysis import batches
from doctorch.analysis.batches import Choices
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data import decisions
from doctorch.rules.shared import place_of
from doctorch.source.project import project_of

MAJORITY = 0.85
"""Share of the labels from which a class is nearly all there is."""
MIN_STEPS = 100
MIN_ROWS = 200
"""Samples at the end whose answers were read."""
MIN_RARE = 8
"""Of these, samples of other classes: none of them is recognised."""
ONLY = 0.998
"""Share of the answers that are the frequent class, from which it is the only answer."""
NOTHING_LEARNED = 0.97
"""Share of what the label frequencies give above which the loss shows that little of the inputs was learned."""
DECIDED = 0.8
"""… where the script turns the answers into decisions, which are then all the same. A rate that is estimated well below one half, as
that of a click, is no fault where it is used as a rate."""
CLOSE = 1.1
"""… and up to which it is close to it: a loss above has not even come down to that yet."""
APART = 4.0
"""Standard errors by which the mean answers to the two classes differ, from which the model tells them apart: it has learned."""
HINT = 1.0
"""… where the script makes no decisions, so that little speaks for a fault: only few calls are read, and features may be weak."""
ALIVE = 0.02
"""Deviation of the answers over a batch relative to their size, under which the inputs do not reach the output: another fault."""


def examine(run: Run) -> Iterator[Finding]:
    process = run.training[0] if run.training else None
    if process is None or process.n_steps < MIN_STEPS:
        return
    for fact in batches.targets(process):
        seen = _late(process, fact)
        if seen is None:
            continue
        labels = fact.get("labels") or {}
        end, prior = _end(process, fact)
        project = project_of(run)
        decides = decisions.decides(project)
        if prior <= 0 or not (DECIDED if decides else NOTHING_LEARNED) * prior <= end <= CLOSE * prior:
            continue
        apart = _apart(process, fact)
        if apart > (APART if decides else HINT) and (not decides or decisions.uses_rates(project, _answer_lines(process, fact))):
            continue  # a rate that is known to be rare, and used as a rate
        total = sum(labels.values())
        yield Finding(
            rule=RULE.id,
            severity=Severity.WARNING,
            message="majority",
            values={
                "share": labels[seen.majority] / total, "rare": seen.rows - seen.labels[seen.majority], "rows": seen.rows,
                "majority": seen.majority, "found": sum(n for label, n in seen.right.items() if label != seen.majority),
                "loss": end, "prior": prior, "classes": len(labels), "weight": (total - _rarest(labels)) / _rarest(labels),
            },
            place=place_of(fact),
            why="prior",
            fix="weight" if len(labels) == 2 else "weights",
            explains=("loss-plateau",),
            confidence=0.85,
        )  # fmt: skip
        return


def _rarest(labels: dict[str, int]) -> int:
    return min(labels.values())


def _late(process: Process, fact: Fact) -> Choices | None:
    """The answers of the second half of the run, where they are all of one frequent class though others were there."""
    labels = fact.get("labels") or {}
    total = sum(labels.values())
    if fact.get("weighted") or len(labels) < 2 or total < MIN_ROWS or max(labels.values()) < MAJORITY * total or _dense(process, fact):
        return None
    half = process.n_steps // 2
    seen = batches.choices([one for one in fact.get("recent") or () if one[0] >= half])
    spread = batches.answer_spread(fact)
    if seen.rows < MIN_ROWS or seen.rows - seen.labels.get(seen.majority, 0) < MIN_RARE or spread is None or spread < ALIVE:
        return None
    return seen if seen.chosen.get(seen.majority, 0) >= ONLY * seen.rows else None


def _dense(process: Process, fact: Fact) -> bool:
    """Whether there are many labels a sample: words, pixels."""
    recent = fact.get("recent") or ()
    per_call = max((float(one[1]) for one in recent), default=0.0)
    given = [one for one in process.facts("input") if one.get("phase") == "train" and one.get("calls")]
    rows = max((float(one["rows"]) / float(one["calls"]) for one in given), default=per_call)
    return per_call > 1.5 * rows


def _end(process: Process, fact: Fact) -> tuple[float, float]:
    """The loss over calls of the second half, and what the label frequencies alone give on the same samples."""
    labels = fact.get("labels") or {}
    total = sum(labels.values())
    known = dict(batches.series(fact))
    losses, priors = [], []
    for step, rows, counts, *_ in fact.get("recent") or ():
        if step >= process.n_steps // 2 and step in known and rows:
            losses.append(known[step])
            priors.append(-sum(n * math.log(labels[label] / total) for label, n in counts.items()) / rows)
    return (fmean(losses), fmean(priors)) if losses else (0.0, 0.0)


def _apart(process: Process, fact: Fact) -> float:
    """By how many standard errors the model's answers to class 1 lie above those to class 0, over the second half."""
    late = [one for one in fact.get("margins") or () if one[0] >= process.n_steps // 2]
    weights = [others * ones / (others + ones) for _, others, ones, *_ in late]
    total = sum(weights)
    if not total:
        return 0.0
    apart = sum(w * float(one[3]) for w, one in zip(weights, late, strict=True)) / total
    variance = fmean(float(one[4]) for one in late) / total
    return apart / math.sqrt(variance) if variance > 0 else 0.0


def _answer_lines(process: Process, fact: Fact) -> set[tuple[str, int]]:
    """Lines on which a model gives probabilities, since the loss takes such."""
    if fact.get("function") != "binary_cross_entropy":
        return set()
    return {(str(one.file), int(one.line)) for one in process.facts("input") if one.file and one.line}


RULE = Rule(
    id="class-imbalance",
    title="The model only ever answers the most frequent class",
    severity=Severity.WARNING,
    needs=frozenset({"target"}),
    examine=examine,
)
