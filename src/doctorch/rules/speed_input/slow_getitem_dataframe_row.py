"""slow-getitem-dataframe-row: __getitem__ looks up pandas rows and cells one by one."""

from __future__ import annotations

from collections.abc import Iterable

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.speed_input import waiting


def examine(run: Run) -> Iterable[Finding]:
    return waiting.slow_item_findings(run, RULE.id, "dataframe-row")


RULE = Rule(
    id="slow-getitem-dataframe-row",
    title="__getitem__ takes rows from a DataFrame",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
)
