"""bad-data-row: a sample of the batch lies absurdly far outside the others."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.numbers.first import first
from doctorch.rules.numbers.nan_in_data import EXPLAINS, bad_batch


def examine(run: Run) -> Iterator[Finding]:
    found = first(run)
    if found is not None and found.batch.get("kind") == "outlier":
        yield bad_batch(found, RULE, "row", EXPLAINS)


RULE = Rule(
    id="bad-data-row",
    title="A sample lies absurdly far outside the others",
    severity=Severity.ERROR,
    needs=frozenset({"backward"}),
    examine=examine,
)
