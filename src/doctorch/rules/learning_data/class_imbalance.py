"""class-imbalance: one class is nearly all there is, and the model has learned to say nothing else."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from statistics import fmean

from doctorch.analysis import batches
from doctorch.analysis.batches import Choices
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of
from doctorch.source import query
from doctorch.source.project import Project, project_of

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
        if prior <= 0 or end < (DECIDED if _decides(project_of(run)) else NOTHING_LEARNED) * prior:
            continue
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


def _decides(project: Project) -> bool:
    """Whether the text turns answers into decisions: argmax, round, a comparison with a number of one of the usual cuts."""
    for file in project.files:
        for node in file.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("argmax", "round", "topk"):
                return True
            if isinstance(node, ast.Call) and query.qualified(file, node.func) in ("torch.argmax", "torch.round"):
                return True
            if isinstance(node, ast.Compare) and _is_cut(node):
                return True
    return False


def _is_cut(node: ast.Compare) -> bool:
    cut = node.comparators[0]
    greater = isinstance(node.ops[0], ast.Gt | ast.GtE) and not isinstance(node.left, ast.Name | ast.Constant)
    return greater and isinstance(cut, ast.Constant) and cut.value in (0.5, 0)


RULE = Rule(
    id="class-imbalance",
    title="The model only ever answers the most frequent class",
    severity=Severity.WARNING,
    needs=frozenset({"target"}),
    examine=examine,
)
