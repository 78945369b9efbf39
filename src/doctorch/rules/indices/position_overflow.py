"""position-overflow: a sequence is longer than the table of position embeddings."""

from __future__ import annotations

from collections.abc import Iterator

from doctorch.findings import Finding, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.shared import related
from doctorch.source.project import project_of


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for bad in tables.bad_indices(run, tables.EMBEDDINGS):
        if bad.above and tables.is_position(project, bad):
            yield Finding(
                rule=RULE.id,
                severity=Severity.ERROR,
                message="longer",
                values=tables.shown(bad),
                place=bad.place,
                related=related(bad.built),
                why="rows",
                fix="truncate",
                ground="values",
                certain_now=True,
            )


RULE = Rule(id="position-overflow", title="Sequence longer than the position table", severity=Severity.ERROR, examine=examine)
