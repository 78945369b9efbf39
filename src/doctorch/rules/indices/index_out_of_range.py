"""index-out-of-range: gather, scatter, index_select, one_hot or indexing with an index outside the dimension."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.indices.tables import BadIndex
from doctorch.source.project import project_of

NO_END = frozenset({"bincount", "one_hot"})
"""They make room for any index but a negative one."""


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for bad in tables.bad_indices(run, tables.OTHERS):
        if (bad.above and not tables.is_position(project, bad)) or bad.below:
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="negatives"
                if bad.function in NO_END and not bad.above
                else "counted"
                if tables.counted(bad)
                else "bounds"
                if bad.fact is not None
                else "error-only",
                values=tables.shown(bad) | {"dim": bad.dimension},
                place=bad.place,
                why="negative" if bad.below else "end",
                fix="inside",
                ground="values" if bad.fact is not None else "error",
                certain_now=True,
            )


def _message(bad: BadIndex) -> str:
    if bad.function in NO_END and not bad.above:
        return "negatives"
    return "counted" if tables.counted(bad) else "bounds" if bad.fact is not None else "error-only"


RULE = Rule(id="index-out-of-range", title="Index outside the dimension", severity=Severity.ERROR, examine=examine)
