"""no-workers-heavy-items: items that cost real time are fetched in the training process, one after the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity
from doctorch.records.reader import Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import place_of, related, site_place
from doctorch.rules.speed_input import waiting
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project


def examine(run: Run) -> Iterator[Finding]:
    for slow in waiting.slow_loaders(run):
        if slow.account.workers:
            continue
        loader = slow.account.fact
        hot = Place(slow.line.file, slow.line.line) if slow.line is not None else None
        waits = slow.kind == "waits"
        yield Finding(
            rule=RULE.id,
            severity=Severity.WARNING,
            message="waits" if waits else "works",
            values=waiting.values_of(slow),
            place=site_place(loader.get("built_site")) or place_of(loader),
            related=related(hot, place_of(loader)),
            why="overlap" if waits else "beside",
            fix="workers",
            explains=("slow-getitem", "slow-getitem-reload-file", "slow-getitem-decode") if waits else (),
            confidence=0.95 if waits else 0.9,
        )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Set num_workers where the loader is made."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    loaders = [call for call in query.calls_at(file, finding.place.line) if _is_loader(file, call)]
    if len(loaders) != 1:
        return None
    call = loaders[0]
    if not call.args and not call.keywords:
        return None
    return edits.make(file, [edits.set_keyword(call, "num_workers", str(finding.values["wanted"]))], safe=False)


def _is_loader(file: SourceFile, call: ast.Call) -> bool:
    return (query.qualified(file, call.func) or "").rpartition(".")[2] == "DataLoader"


RULE = Rule(
    id="no-workers-heavy-items",
    title="Slow items, and no workers to fetch them",
    severity=Severity.WARNING,
    needs=frozenset({"loader", "loader_line"}),
    examine=examine,
    edit=edit,
)
