"""double-softmax: cross-entropy, which applies log-softmax itself, is given probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.analysis import probes
from doctorch.analysis.losses import softmax_twice_floor
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related
from doctorch.source import query
from doctorch.source.project import Project, project_of

SUM_TOLERANCE_SHARE = 1.0
"""All rows must sum to 1 within 1e-3: one softmax makes them all do so, chance makes none."""
MIN_CALLS_BY_VALUES = 3
MIN_ROWS_BY_VALUES = 30
"""Calls and rows that must be checked where the graph did not show the softmax itself and the values alone speak."""
EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients")
LOSS = ("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss")
"""The function and its module."""


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        if fact.get("function") == "cross_entropy" and fact.get("train_count") and _is_probabilities(fact):
            yield _finding(project_of(run), fact)


def _is_probabilities(fact: Fact) -> bool:
    rows, ones, classes = int(fact.get("rows") or 0), int(fact.get("rows_sum_one") or 0), int(fact.get("n_classes") or 0)
    if classes < 2 or not rows or ones < SUM_TOLERANCE_SHARE * rows:
        return False
    if fact.get("softmax"):
        return bool(fact.get("softmax_kind") == "softmax")
    return int(fact.get("checked") or 0) >= MIN_CALLS_BY_VALUES and rows >= MIN_ROWS_BY_VALUES


def _finding(project: Project, fact: Fact) -> Finding:
    classes = int(fact["n_classes"])
    in_graph = bool(fact.get("softmax"))
    loss = place_of(fact)
    softmax = _softmax_place(project, fact, in_graph)
    plain = not fact.get("label_smoothing") and not fact.get("weighted") and fact.get("reduction", "mean") == "mean"
    proof = _proof(fact)
    values: dict[str, Value] = {
        **proof,
        "rows": int(fact["rows"]),
        "classes": classes,
        "floor": softmax_twice_floor(classes),
        "sum_min": fact.get("row_sum_min"),
        "sum_max": fact.get("row_sum_max"),
        "loss_line": fact.line,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="graph" if in_graph else "values",
        values=values,
        place=softmax or loss,
        related=related(loss),
        why="twice" if plain else "twice-no-floor",
        fix="remove",
        proof="copies" if proof else None,
        explains=EXPLAINS,
        confidence=1.0 if in_graph else 0.9,
        ground="graph" if in_graph else "values",
        certain_now=in_graph,
    )


def _proof(fact: Fact) -> dict[str, Value]:
    """What the same steps gave without the softmax, where they were tried and gave more."""
    tried = probes.probe(fact.process, "without-softmax")
    control, without = (tried.arms.get(name) if tried is not None else None for name in ("control", "without"))
    if control is None or without is None or not without.last < control.last:
        return {}
    return {
        "turns": without.turns,
        "with": control.last,
        "without": without.last,
        "with_first": control.first,
        "without_first": without.first,
    }


def _softmax_place(project: Project, fact: Fact, in_graph: bool) -> Place | None:
    """The line of the softmax, where the graph showed one; where only values speak, as far as the text around the loss tells."""
    if in_graph:
        return activations.place(project, fact, fact.get("softmax_site"), "softmax")
    file = project.file(fact.file)
    calls = query.calls_at(file, fact.line) if file is not None and fact.line is not None else ()
    found = (activations.made_only_by(project, file, call.args[0], "softmax") for call in calls if file is not None and call.args)
    return next((place for place in found if place is not None), None)


def examine_source(project: Project) -> Iterable[Finding]:
    """Cross-entropy whose input is, on every way that the text shows, the result of a softmax."""
    for first, loss in activations.fed_by(project, *LOSS, "softmax"):
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="source",
            values={"loss_line": loss.line},
            place=first,
            related=(loss,),
            why="twice-no-floor",
            fix="remove",
            explains=EXPLAINS,
            confidence=0.95,
            ground="source",
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Put the softmax's input in its place, or take ``nn.Softmax`` out of the Sequential."""
    found = activations.call_at(project, finding.place, "softmax")
    # Where the softmax stands inside the call of the loss nothing else can use its result.
    parent = found[0].parents.get(found[1]) if found is not None else None
    inside = isinstance(parent, ast.Call) and found is not None and activations.is_loss(project, found[0], parent, *LOSS)
    return activations.removed(project, finding.place, "softmax", safe=inside)


RULE = Rule(
    id="double-softmax",
    title="Softmax before cross-entropy",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
