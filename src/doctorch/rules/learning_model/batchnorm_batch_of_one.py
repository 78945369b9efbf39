"""batchnorm-batch-of-one: BatchNorm in training mode is given one value per channel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import related, site_place
from doctorch.source import edits, query
from doctorch.source.project import Project

ERROR = "Expected more than 1 value per channel when training"
SHAPE = re.compile(r"torch\.Size\(\[([\d, ]+)\]\)")
LOADER = "torch.utils.data.DataLoader"


def examine(run: Run) -> Iterator[Finding]:
    for fact in run.main_facts("exception"):
        if ERROR in str(fact.get("message") or ""):
            yield _finding(fact.process, fact)
            return


def _finding(process: Process, fact: Fact) -> Finding:
    match = SHAPE.search(str(fact.get("message")))
    shape = [int(size) for size in match[1].split(",")] if match else []
    stack = [place for site in fact.get("stack") or () if (place := site_place(site)) is not None]
    here = Place(fact.file, fact.line) if fact.file and fact.line else None
    loader = max(process.facts("loader"), key=lambda one: one.count, default=None)
    size = int(loader.get("batch_size") or 0) if loader is not None else 0
    last = size > 1 and bool(shape) and shape[0] == 1
    built = site_place(loader.get("built_site")) if loader is not None and last else None
    values: dict[str, Value] = {
        "shape": f"({', '.join(map(str, shape))})" if shape else "unknown shape",
        "batch_size": size,
        "samples": int(loader.get("dataset_length") or 0) if loader is not None else 0,
        "steps": process.n_steps,
        "line": here.line if here else 0,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="last" if built is not None else "one",
        values=values,
        place=built or here,
        related=related(here, *reversed(stack)),
        why="variance",
        fix="drop-last" if built is not None else "other-norm",
        explains=(),
        ground="error",
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """``drop_last=True`` where the loader is built."""
    file = project.file(finding.place.file) if finding.place and finding.message == "last" else None
    if file is None or finding.place is None:
        return None
    calls = [call for call in query.calls_at(file, finding.place.line) if (query.qualified(file, call.func) or "") == LOADER]
    if len(calls) != 1 or any(word.arg in (None, "drop_last") for word in calls[0].keywords):
        return None
    return edits.make(file, [edits.set_keyword(calls[0], "drop_last", "True")], safe=False)


RULE = Rule(
    id="batchnorm-batch-of-one",
    title="BatchNorm is given one value per channel",
    severity=Severity.ERROR,
    needs=frozenset({"exception"}),
    examine=examine,
    edit=edit,
)
