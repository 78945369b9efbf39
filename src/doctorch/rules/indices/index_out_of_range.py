"""index-out-of-range: gather, scatter, index_select, one_hot or indexing with an index outside the dimension."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables

OTHERS = frozenset(
    {"gather", "scatter", "scatter_add", "scatter_reduce", "index_select", "index_add", "index", "index_put", "one_hot", "take"}
)


def examine(run: Run) -> Iterator[Finding]:
    for bad in tables.bad_indices(run, OTHERS):
        if bad.above or bad.below:
            dimension = bad.fact.get("dim") if bad.fact is not None else None
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="counted" if tables.counted(bad) else "bounds",
                values=tables.shown(bad) | {"dim": dimension},
                place=bad.place,
                why="negative" if bad.below else "end",
                fix="inside",
                ground="values",
                certain_now=True,
            )


RULE = Rule(id="index-out-of-range", title="Index outside the dimension", severity=Severity.ERROR, examine=examine)
