"""nll-without-log-softmax: nll_loss, which only picks and negates, is given probabilities or raw scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctorch.findings import Edit, Finding, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_loss import activations
from doctorch.rules.shared import place_of, related
from doctorch.source.project import Project, project_of

MIN_LOOKS = 2
"""Calls whose rows were read."""
MIN_SHARE = 0.95
"""Share of the rows whose exponentials are far from summing to one. Rows of log-probabilities sum to one up to rounding."""
SCORES = 1.5
"""Raw scores have rows whose exponentials sum to far more than one; log-probabilities of a part of the classes sum to less."""
EXPLAINS = ("loss-diverges", "loss-plateau", "loss-sign", "lr-too-high", "exploding-gradients")
FUNCTION, MODULE = "torch.nn.functional.nll_loss", "torch.nn.NLLLoss"


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("loss_call"):
        if fact.get("function") == "nll_loss" and fact.get("train_count"):
            kind = _kind(fact)
            if kind is not None:
                yield _finding(project_of(run), fact, kind)


def _kind(fact: Fact) -> str | None:
    """``probabilities``, ``scores``, or None."""
    sums = fact.get("sums") or {}
    plain, exponentials = sums.get("value"), sums.get("exp")
    classes = int(fact.get("n_classes") or 0)
    if not plain or not exponentials or int(plain["calls"]) < MIN_LOOKS or classes < 2:
        return None
    rows, off = int(exponentials["rows"]), int(exponentials["off_rows"])
    if off < MIN_SHARE * rows:
        return None
    activation = fact.get("activation")
    if activation == "softmax" or (plain["one"].get("1") == plain["calls"] and float(fact.get("input_min") or 0.0) >= 0.0):
        return "probabilities"
    if activation is None and exponentials["low"] is not None and float(exponentials["high"]) > SCORES:
        return "scores" if float(fact.get("input_max") or 0.0) > 0.0 else None
    return None


def _finding(project: Project, fact: Fact, kind: str) -> Finding:
    sums = fact["sums"]
    loss = place_of(fact)
    softmax = activations.place(project, fact, fact.get("activation_site"), "softmax") if fact.get("activation") == "softmax" else None
    values: dict[str, Value] = {
        "rows": int(sums["exp"]["rows"]),
        "low": sums["exp"]["low"],
        "high": sums["exp"]["high"],
        "loss_line": fact.line,
        "kind": kind,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=kind if softmax is not None or kind == "scores" else "values",
        values=values,
        place=softmax or loss,
        related=related(loss),
        why=f"{kind}-why",
        fix="log" if kind == "probabilities" else "apply",
        explains=EXPLAINS,
        ground="graph" if softmax is not None else "values",
        certain_now=softmax is not None,
    )


def examine_source(project: Project) -> Iterable[Finding]:
    """nll_loss whose input is, on every way that the text shows, the result of a softmax."""
    for first, loss in activations.fed_by(project, FUNCTION, MODULE, "softmax"):
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="source",
            values={"loss_line": loss.line, "kind": "probabilities"},
            place=first,
            related=(loss,),
            why="probabilities-why",
            fix="log",
            explains=EXPLAINS,
            confidence=0.95,
            ground="source",
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """``log_softmax`` in place of ``softmax``."""
    return activations.logarithmic(project, finding.place) if finding.values.get("kind") == "probabilities" else None


RULE = Rule(
    id="nll-without-log-softmax",
    title="nll_loss without log-softmax",
    severity=Severity.ERROR,
    needs=frozenset({"loss_call"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
