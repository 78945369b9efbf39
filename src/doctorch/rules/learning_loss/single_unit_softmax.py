"""single-unit-softmax: a softmax over one unit is 1 whatever the model computes."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related, shape_text
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
MIN_CALLS = 2
EXPLAINS = (
    "loss-plateau", "dead-relu", "lr-too-low", "vanishing-gradients", "module-unused", "graph-broken-partial", "zero-init",
    "sigmoid-before-bce-with-logits",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    at_loss = {}
    for fact in run.main_facts("loss_call"):
        if not fact.get("train_count"):
            continue
        shape, dim = fact.get("softmax_shape"), fact.get("softmax_dim")
        if fact.get("activation") in ("softmax", "log_softmax") and shape and dim is not None:
            site = fact.get("activation_site") or {}
            at_loss[site.get("file"), site.get("line")] = fact
        classes = len(fact.get("input_shape") or ()) > 1 and fact.get("n_classes") == 1
        if classes and fact.get("function") == "cross_entropy" and fact.count >= MIN_CALLS:
            yield _cross_entropy(fact)
    for fact in run.main_facts("softmax"):
        looks = int(fact.get("looks") or 0)
        if looks >= MIN_LOOKS and fact.get("one") == looks and fact.get("made_by") == "layer":
            yield _softmax(project, fact, at_loss.get((fact.file, fact.line)))


def _cross_entropy(fact: Fact) -> Finding:
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="cross-entropy",
        values={"shape": shape_text(fact.get("input_shape")), "calls": fact.count},
        place=place_of(fact),
        why="no-gradient",
        fix="binary",
        explains=EXPLAINS,
        ground="values",
        certain_now=True,
    )


def _softmax(project: Project, fact: Fact, loss: Fact | None) -> Finding:
    """Right before the loss nothing can be learned at all; inside the model one branch is without effect."""
    place = place_of(fact)
    kind = str(fact["kind"])
    if loss is not None:
        place = activations.place(project, loss, loss.get("activation_site"), kind) or place
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR if loss is not None else Severity.WARNING,
        message="output" if loss is not None else "inside",
        values={
            "kind": kind,
            "constant": 1 if kind == "softmax" else 0,
            "shape": shape_text(fact["shape"]),
            "dim": int(fact["dim"]),
            "outputs": int(fact["others_max"]),
            "looks": int(fact["looks"]),
            "loss_line": loss.line if loss is not None else fact.line,
        },
        place=place,
        related=related(place_of(loss)) if loss is not None else (),
        why="no-gradient",
        fix="sigmoid" if loss is not None else "dim",
        explains=EXPLAINS,
        ground="graph",
        certain_now=loss is not None,
    )


RULE = Rule(
    id="single-unit-softmax",
    title="Softmax over a single unit",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
