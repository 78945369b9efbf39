"""sigmoid-before-bce-with-logits: binary cross-entropy that applies the sigmoid itself is given probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related
from doctorch.source.project import Project, project_of

KINDS = ("sigmoid", "softmax", "hardsigmoid")
MIN_SHARE = 0.9
"""Share of the calls looked at whose graph shows it: a second output of another kind may go through the same line."""
LN2 = math.log(2)
FLOOR_ZERO, FLOOR_ONE = LN2, math.log1p(math.exp(-1.0))
"""The least loss of a target 0 (reached at the probability 0) and of a target 1 (at the probability 1)."""
EXPLAINS = ("loss-plateau", "lr-too-low", "vanishing-gradients", "class-imbalance", "saturated-activations")
FUNCTION = "torch.nn.functional.binary_cross_entropy_with_logits"
MODULE = "torch.nn.BCEWithLogitsLoss"


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        calls = int(fact.get("activation_calls") or 0)
        if (
            fact.get("function") == "binary_cross_entropy_with_logits"
            and fact.get("activation") in KINDS
            and calls >= MIN_SHARE * int(fact.get("looked") or 0)
            and _between(fact)
        ):
            yield _finding(project_of(run), fact)


def _between(fact: Fact) -> bool:
    """The values agree: all that was read lies between 0 and 1."""
    low, high = fact.get("output_min"), fact.get("output_max")
    return low is not None and high is not None and low >= 0.0 and high <= 1.0


def _finding(project: Project, fact: Fact) -> Finding:
    kind = str(fact["activation"])
    loss = place_of(fact)
    found = activations.place(project, fact, fact.get("activation_site"), kind)
    targets = fact.get("targets") or {}
    elements = int(targets.get("elements") or 0)
    ones = int(targets.get("ones") or 0) / elements if elements else math.nan
    plain = elements and ones + int(targets.get("zeros") or 0) / elements == 1 and not fact.get("weighted")
    values: dict[str, Value] = {
        "kind": kind,
        "outputs": int(fact.get("outputs") or 0),
        "low": fact.get("output_min"),
        "high": fact.get("output_max"),
        "loss_line": fact.line,
        "floor": ones * FLOOR_ONE + (1 - ones) * FLOOR_ZERO,
        "ones": ones,
    }
    if not plain or fact.get("reduction", "mean") != "mean":
        del values["floor"], values["ones"]
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="graph",
        values=values,
        place=found or loss,
        related=related(loss),
        why="twice" if "floor" in values else "twice-no-floor",
        fix="remove",
        explains=EXPLAINS,
        ground="graph",
        certain_now=True,
    )


def examine_source(project: Project) -> Iterable[Finding]:
    """The loss with logits whose input is, on every way that the text shows, the result of a sigmoid."""
    for first, loss in activations.fed_by(project, FUNCTION, MODULE, "sigmoid"):
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="source",
            values={"loss_line": loss.line, "kind": "sigmoid"},
            place=first,
            related=(loss,),
            why="twice-no-floor",
            fix="remove",
            explains=EXPLAINS,
            confidence=0.95,
            ground="source",
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Put the sigmoid's input in its place, or take ``nn.Sigmoid`` out of the Sequential."""
    return activations.removed(project, finding.place, str(finding.values["kind"]))


RULE = Rule(
    id="sigmoid-before-bce-with-logits",
    title="Sigmoid before a loss that applies it itself",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
