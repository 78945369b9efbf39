"""custom-backward-wrong-formula: the derivative that a custom backward gives is not that of its forward."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from doctorch.findings import Finding, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_graph.custom import Checked, backward_place, checked, class_of
from doctorch.rules.shared import place_of, related, shape_text
from doctorch.source.project import project_of

SAME_FACTOR = 1e-2
"""Spread of the factor over directions, relative, below which the formula is off by one number."""
EXPLAINS = ("loss-plateau", "loss-diverges", "vanishing-gradients", "exploding-gradients", "lr-too-low", "lr-too-high", "dead-relu")
SHAPE_ERROR = re.compile(
    r"Function (\w+?)Backward returned an invalid gradient at index (\d+) - got \[([\d, ]*)\] but expected shape.*\[([\d, ]*)\]"
)


def examine(run: Run) -> Iterator[Finding]:
    for one in checked(run):
        # A function that ignores grad_output, or mixes up calls, is wrong in another way; one that ignores it harmlessly is tried with 1.
        ignoring = one.data.get("ignores_grad_output") and not one.data.get("unit")
        if one.wrong and not ignoring and not one.data.get("stale"):
            yield _finding(one, max(one.wrong, key=lambda given: float(given["error"])))
    for process in run.training[:1]:
        for fact in process.facts("function"):
            if (finding := _wrong_shape(run, process, fact)) is not None:
                yield finding


def _finding(one: Checked, given: Mapping[str, Any]) -> Finding:
    factor, spread = given.get("factor"), given.get("spread")
    nothing = factor is not None and float(factor) == 0 and float(given["error"]) > 1 - SAME_FACTOR
    scaled = factor is not None and spread is not None and abs(float(spread)) <= SAME_FACTOR * abs(float(factor)) and float(factor) != 0
    values: dict[str, Value] = {
        "name": one.name,
        "input": one.argument(int(given["index"])),
        "error": float(given["error"]),
        "factor": float(factor) if factor is not None else None,
    }
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


def _wrong_shape(run: Run, process: Process, fact: Fact) -> Finding | None:
    """backward failed since the gradient for an input has another shape than the input."""
    for backward in process.facts("backward"):
        match = SHAPE_ERROR.search(str(backward.get("error") or ""))
        if match is None or match[1] != fact.get("cls"):
            continue
        cls = class_of(project_of(run), fact.file, match[1])
        one = Checked(match[1], fact, {}, backward_place(cls, fact), cls)
        got, wanted = (shape_text([int(size) for size in text.split(",") if size.strip()]) for text in (match[3], match[4]))
        return Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="shape",
            values={"name": match[1], "input": one.argument(int(match[2])), "got": got, "wanted": wanted},
            place=one.backward,
            related=related(place_of(backward)),
            fix="shape-of-input",
            ground="error",
            certain_now=True,
        )
    return None


RULE = Rule(
    id="custom-backward-wrong-formula",
    title="A custom backward gives a wrong derivative",
    severity=Severity.ERROR,
    needs=frozenset({"function"}),
    examine=examine,
)
