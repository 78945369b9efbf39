"""custom-backward-missing-grad-output: a custom backward does not multiply by what comes from above."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import checked

EXPLAINS = ("custom-backward-wrong-formula", "loss-plateau", "vanishing-gradients", "exploding-gradients", "lr-too-low", "lr-too-high")


def examine(run: Run) -> Iterator[Finding]:
    for one in checked(run):
        if one.data.get("ignores_grad_output") and not one.data.get("steps"):
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="same",
                values={"name": one.name},
                place=one.backward,
                why="chain",
                fix="multiply",
                explains=EXPLAINS,
            )


RULE = Rule(
    id="custom-backward-missing-grad-output",
    title="A custom backward ignores grad_output",
    severity=Severity.ERROR,
    needs=frozenset({"function", "probe"}),
    examine=examine,
)
