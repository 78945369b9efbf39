"""custom-backward-wrong-formula: the derivative that a custom backward gives is not that of its forward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import Checked, checked

WRONG = 1e-3
"""Relative difference in double precision; rounding stays below 1e-6."""
SAME_FACTOR = 1e-3
"""Spread of the factor over directions below which the formula is off by one number."""
EXPLAINS = ("loss-plateau", "vanishing-gradients", "exploding-gradients", "lr-too-low", "lr-too-high")


def examine(run: Run) -> Iterator[Finding]:
    for one in checked(run):
        wrong = [given for given in one.data.get("inputs") or () if float(given["error"]) > WRONG]
        # A function that ignores grad_output, or mixes up calls, is wrong in another way.
        if wrong and not (one.data.get("ignores_grad_output") or one.data.get("stale")):
            yield _finding(one, wrong[0])


def _finding(one: Checked, given: Mapping[str, Any]) -> Finding:
    factor, spread = given.get("factor"), given.get("spread")
    scaled = factor is not None and spread is not None and abs(float(spread)) <= SAME_FACTOR * abs(float(factor)) and float(factor) != 0
    values: dict[str, Value] = {
        "name": one.name,
        "input": int(given["index"]) + 1,
        "error": float(given["error"]),
        "factor": float(factor) if factor is not None else None,
    }
    nothing = factor is not None and float(factor) == 0
    return Finding(
        rule=RULE.id,
        severity=Severity.ADVICE if one.deliberate else Severity.ERROR,
        message="deliberate" if one.deliberate else "nothing" if nothing else "factor" if scaled else "differs",
        values=values,
        place=one.backward,
        why="numbers",
        fix="derive",
        explains=() if one.deliberate else EXPLAINS,
    )


RULE = Rule(
    id="custom-backward-wrong-formula",
    title="A custom backward gives a wrong derivative",
    severity=Severity.ERROR,
    needs=frozenset({"function", "probe"}),
    examine=examine,
)
