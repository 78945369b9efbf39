"""slow-getitem: the time of an item goes into the dataset's own Python code."""

from __future__ import annotations

from collections.abc import Iterable

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.speed_input import waiting


def examine(run: Run) -> Iterable[Finding]:
    return waiting.slow_item_findings(run, RULE.id, "python")


RULE = Rule(
    id="slow-getitem",
    title="__getitem__ is slow Python code",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
)
