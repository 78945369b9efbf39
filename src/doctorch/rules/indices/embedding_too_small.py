"""embedding-too-small: an index at or beyond the end of an embedding table."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules import settings
from doctorch.rules.api import Rule
from doctorch.rules.indices import tables
from doctorch.rules.shared import related
from doctorch.source import edits, query
from doctorch.source.project import Project, project_of


def examine(run: Run) -> Iterator[Finding]:
    project = project_of(run)
    for bad in tables.bad_indices(run, tables.EMBEDDINGS):
        unknown = bad.size is None
        if not (bad.above or unknown) or tables.is_position(project, bad):
            continue
        one_short = bad.size is not None and bad.high == bad.size
        built = tables.embedding_call(project, bad)
        place = tables.own_line(run, project, bad, settings.TABLE)
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="error-only" if unknown else "counted" if tables.counted(bad) else "bounds",
            values=tables.shown(bad),
            place=place,
            related=related(*(one for one in (bad.built, bad.place) if one != place), Place(built[0], built[1].lineno) if built else None),
            why="one-short" if one_short else "rows",
            fix="one-more" if one_short else "larger",
            confidence=0.9 if unknown else 1.0,
            ground="error" if unknown else "values",
            certain_now=True,
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Add one row where exactly the index one past the end was met."""
    if finding.values.get("high") != finding.values.get("size") or finding.values.get("size") is None:
        return None
    for place in finding.related:
        file = project.file(place.file)
        for call in query.calls_at(file, place.line) if file is not None else ():
            if file is None or not (query.qualified(file, call.func) or "").endswith(("nn.Embedding", "nn.EmbeddingBag")):
                continue
            rows = query.argument(call, 0, "num_embeddings")
            if rows is None:
                continue
            if isinstance(rows, ast.Constant) and isinstance(rows.value, int):
                change = edits.replace_node(file, rows, str(rows.value + 1))
            else:
                change = edits.replace_node(file, rows, "{rows} + 1", rows=rows)
            return edits.make(file, [change], safe=False)
    return None


RULE = Rule(
    id="embedding-too-small",
    title="Index beyond the end of an embedding table",
    severity=Severity.ERROR,
    examine=examine,
    edit=edit,
)
