"""attention-mask-missing: tokens attend to padding."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.analysis.packages import package_at
from doctorch.findings import Finding, Severity
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_data.sources import batch_line
from doctorch.rules.shared import place_of
from doctorch.source.project import project_of

MIN_PADS = 0.1
"""Share of padding among the tokens from which what it adds to the sums is worth a mask."""
MIN_WEIGHT = 0.02
"""Mean weight that a token gives to padding, below which the model has learned to leave it alone."""


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training:
        padding = _padding(process)
        attention = next((fact for fact in process.facts("attention") if _blind(fact)), None) if padding is not None else None
        if padding is None or attention is None:
            continue
        place = place_of(attention)
        if package_at(process, place) is not None:
            place = batch_line(project_of(run), process) or place
        weight = float(attention["weight"]) / int(attention["rows"]) if attention.get("rows") else None
        yield Finding(
            rule=RULE.id,
            severity=Severity.WARNING,
            message="weights" if weight is not None else "no-mask",
            values={
                "pads": int(padding["pads"]),
                "tokens": int(padding["tokens"]),
                "share": int(padding["pads"]) / int(padding["tokens"]),
                "weight": weight,
                "looks": int(attention["padded"]),
                "id": padding.get("id"),
            },
            place=place,
            why="sums",
            fix="mask",
            ground="values",
        )


def _padding(process: Process) -> Fact | None:
    """The most padded ids that a model is given."""
    found = [fact for fact in process.facts("padding") if int(fact["pads"]) >= MIN_PADS * int(fact["tokens"])]
    return max(found, key=lambda fact: int(fact["pads"]), default=None)


def _blind(fact: Fact) -> bool:
    """Whether padding was attended to whenever there was some. In a causal attention it comes after the tokens, out of their sight."""
    if not fact["padded"] or fact["blind"] < fact["padded"] or fact["causal"]:
        return False
    return not fact.get("rows") or float(fact["weight"]) >= MIN_WEIGHT * int(fact["rows"])


RULE = Rule(
    id="attention-mask-missing",
    title="Padding is attended to",
    severity=Severity.WARNING,
    needs=frozenset({"module"}),
    examine=examine,
)
