"""The finding on an operator that made no number of numbers."""

from __future__ import annotations

from doctorch.findings import Finding, Severity, Value
from doctorch.rules.api import Rule
from doctorch.rules.numbers.first import First
from doctorch.rules.shared import related, site_place

EXPLAINS = ("loss-diverges", "loss-plateau", "lr-too-high")


def operator_finding(rule: Rule, found: First) -> Finding:
    """``forward`` and ``backward`` are the messages of its page: the operator's result, or its gradient, was none."""
    given = found.given
    backward = next((fact for fact in found.fact.process.facts("backward")), None)
    values: dict[str, Value] = {
        "op": found.op,
        "step": found.step + 1,
        "given": given[-1] if given else found.low(),
        "low": found.low(),
        "high": found.high(),
        "count": int(found.event.get("count") or 1),
        "sample": found.where,
        "loss": str(found.fact.get("loss")),
    }
    place = found.place
    return Finding(
        rule=rule.id,
        severity=Severity.ERROR,
        message="backward" if found.backward else "forward",
        values=values,
        place=place,
        related=related(site_place({"file": backward.file, "line": backward.line}) if backward is not None else None),
        why="mechanism",
        fix="guard",
        explains=EXPLAINS,
        confidence=0.95,
        certain_now=True,
    )
