"""exp-overflow: an exponential overflows."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.finding import operator_finding
from doctorch.rules.numbers.first import arithmetic


def examine(run: Run) -> Iterator[Finding]:
    found = arithmetic(run)
    if found is not None and not found.half and found.family == "exponential":
        yield operator_finding(RULE, found)


RULE = Rule(
    id="exp-overflow",
    title="An exponential overflows",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
