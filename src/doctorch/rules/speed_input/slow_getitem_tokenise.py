"""slow-getitem-tokenise: __getitem__ cleans and tokenises the same text in every epoch."""

from __future__ import annotations

from collections.abc import Iterable

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.speed_input import waiting


def examine(run: Run) -> Iterable[Finding]:
    return waiting.slow_item_findings(run, RULE.id, "tokenise")


RULE = Rule(
    id="slow-getitem-tokenise",
    title="__getitem__ cleans and tokenises text",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
)
