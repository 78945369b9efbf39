"""slow-getitem-reload-file: __getitem__ opens or parses a file for every item."""

from __future__ import annotations

from collections.abc import Iterable

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.speed_input import waiting


def examine(run: Run) -> Iterable[Finding]:
    return waiting.slow_item_findings(run, RULE.id, "reload-file")


RULE = Rule(
    id="slow-getitem-reload-file",
    title="__getitem__ reads a file for every item",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
)
