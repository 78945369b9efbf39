"""embedding-negative-index: an index below 0 goes into an embedding."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.shared import related


def examine(run: Run) -> Iterator[Finding]:
    for bad in tables.bad_indices(run, tables.EMBEDDINGS):
        if bad.size is not None and bad.below:
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="counted" if tables.counted(bad) else "bounds",
                values=tables.shown(bad),
                place=bad.place,
                related=related(bad.built),
                why="rows",
                fix="pad",
                ground="values",
                certain_now=True,
            )


RULE = Rule(id="embedding-negative-index", title="Negative index into an embedding", severity=Severity.ERROR, examine=examine)
