"""slow-getitem-decode: __getitem__ decodes images, video or sound for every item."""

from __future__ import annotations

from collections.abc import Iterable

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.speed_input import waiting


def examine(run: Run) -> Iterable[Finding]:
    return waiting.slow_item_findings(run, RULE.id, "decode")


RULE = Rule(
    id="slow-getitem-decode",
    title="__getitem__ decodes images or sound",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
)
