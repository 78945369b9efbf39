"""log-zero: a logarithm of zero."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.finding import operator_finding
from doctorch.rules.numbers.first import arithmetic


def examine(run: Run) -> Iterator[Finding]:
    found = arithmetic(run)
    if found is not None and not found.half and found.family == "log":
        product = found.product
        yield operator_finding(RULE, found, *("product", "zero-times", "leave-out") if product else ())


RULE = Rule(
    id="log-zero",
    title="A logarithm of zero",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
