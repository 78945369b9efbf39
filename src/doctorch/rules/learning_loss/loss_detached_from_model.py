"""loss-detached-from-model: the loss is made of values that owe nothing to the model."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related

EXPLAINS = (
    "graph-broken", "graph-broken-partial", "loss-plateau", "zero-grad-before-step", "missing-zero-grad", "module-unused", "lr-too-low",
    "no-grad-forward", "step-before-backward", "optimizer-missing-params",
)  # fmt: skip


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        facts = [fact for fact in process.facts("backward") if int(fact.get("deep") or 0)]
        if not facts or any(int(fact.get("reached_max") or 0) for fact in facts):
            return
        for fact in facts:
            independent, used = int(fact.get("independent") or 0), int(fact.get("used_max") or 0)
            if independent and independent == fact.get("deep") and used:
                yield _finding(process, fact, independent, used)


def _finding(process: Process, backward: Fact, looks: int, used: int) -> Finding:
    loss = next((fact for fact in process.facts("loss_call") if not fact.get("train_count") and fact.get("grad_mode_count")), None)
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="call" if loss is not None else "value",
        values={
            "used": used,
            "looks": looks,
            "function": str(loss["function"]) if loss is not None else "the loss",
            "backward_line": backward.line,
        },
        place=place_of(loss) if loss is not None else place_of(backward),
        related=related(place_of(backward)),
        why="independent",
        fix="output",
        explains=EXPLAINS,
        ground="graph",
        certain_now=True,
    )


RULE = Rule(
    id="loss-detached-from-model",
    title="The loss does not depend on the model",
    severity=Severity.ERROR,
    needs=frozenset({"backward", "param"}),
    examine=examine,
)
