"""scheduler-before-optimizer: the scheduler steps before the optimizer, so the first rate is never used."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.learning_update.turns import turns
from doctorch.rules.shared import call_of, place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MOST_PER_STEP = 1.2
"""Steps of the scheduler for each of the optimizer's: with more of them it is stepped at every micro-batch, which is another matter."""
EXPLAINS = ()


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for scheduler in process.facts("scheduler"):
            if (finding := _of(process, scheduler)) is not None:
                yield finding


def _of(process: Process, scheduler: Fact) -> Finding | None:
    optimizer = process.fact("optimizer", scheduler.get("optimizer") or "")
    calls, early = int(scheduler.get("steps") or 0), int(scheduler.get("early") or 0)
    stepped, first = site_place(scheduler.get("step_site")), site_place(scheduler.get("early_site"))
    if optimizer is None or not optimizer.get("steps") or calls < 2 or early != 1 or calls > MOST_PER_STEP * process.n_steps:
        return None
    # One step ahead, at the line where it steps ever after; a schedule that is wound forward to where a run stopped has a line of its own.
    if stepped is None or stepped != first or _skipped(process):
        return None
    values: dict[str, Value] = {
        "cls": str(scheduler.get("cls") or "the scheduler"),
        "calls": calls,
        "steps": process.n_steps,
        "step_line": (site_place(optimizer.get("step_site")) or stepped).line,
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.WARNING,
        message="early",
        values=values,
        place=stepped,
        related=related(site_place(optimizer.get("step_site")), place_of(scheduler)),
        why="skips",
        fix="move",
        explains=EXPLAINS,
    )


def _skipped(process: Process) -> bool:
    """Whether a GradScaler left out the first steps: then the scheduler is early though the order is right."""
    between = any(fact.get("scheduled_first") for fact in turns(process) if fact.get("first", 0) > 1)
    return not between and any(int(scaler.get("skipped") or 0) for scaler in process.facts("scaler"))


def edit(finding: Finding, project: Project) -> Edit | None:
    """Move the scheduler's step behind the statement of the same block that steps the optimizer."""
    file = project.file(finding.place.file) if finding.place else None
    line = finding.values.get("step_line")
    if file is None or finding.place is None or not isinstance(line, int):
        return None
    early = query.statement_at(file, finding.place.line)
    if early is None or call_of(early, "step") is None:
        return None
    block = query.block_of(file, early)
    target = next((one for one in block[block.index(early) + 1 :] if query.spans(one, line)), None)
    if target is None:
        return None
    changes = [edits.insert_after(target, file.segment(early)), edits.delete_statement(early)]
    return edits.make(file, changes, safe=True, summary=f"{file.segment(early)}  (moved behind line {target.end_lineno})")


def examine_source(project: Project) -> Iterable[Finding]:
    """In one block of a loop: a scheduler's step, right before the step of the optimizer that it was built with."""
    for file in project.files:
        for loop in file.nodes:
            if not isinstance(loop, query.Loop):
                continue
            for one, other in zip(loop.body, loop.body[1:], strict=False):
                if (cls := _scheduler_of(file, one, other)) is not None:
                    yield Finding(
                        rule=RULE.id,
                        severity=Severity.WARNING,
                        message="source",
                        values={"step_line": other.lineno, "cls": cls},
                        place=Place(file.path, one.lineno),
                        related=(Place(file.path, other.lineno),),
                        why="skips",
                        fix="move",
                        confidence=0.95,
                        ground="source",
                    )


def _scheduler_of(file: SourceFile, one: ast.stmt, other: ast.stmt) -> str | None:
    """The class of the scheduler that the first statement steps, where the second steps its optimizer."""
    early, late = call_of(one, "step"), call_of(other, "step")
    if early is None or late is None or not isinstance(early.func, ast.Attribute) or not isinstance(late.func, ast.Attribute):
        return None
    name, optimizer = early.func.value, late.func.value
    if not isinstance(name, ast.Name) or not isinstance(optimizer, ast.Name):
        return None
    for value in [*query.assigned_values(query.scope_of(file, one), name.id), *query.assigned_values(file.tree, name.id)]:
        made = query.qualified(file, value.func) if isinstance(value, ast.Call) else None
        if made and ".lr_scheduler." in made and isinstance(value, ast.Call) and value.args and query.dotted(value.args[0]) == optimizer.id:
            return made.rpartition(".")[2]
    return None


RULE = Rule(
    id="scheduler-before-optimizer",
    title="The scheduler steps before the optimizer",
    severity=Severity.WARNING,
    needs=frozenset({"scheduler", "optimizer"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
