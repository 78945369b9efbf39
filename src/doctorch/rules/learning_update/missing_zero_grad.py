"""missing-zero-grad: gradients of earlier steps are still there when the next backward adds to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import call_of, place_of, related, site_place, stepping_object
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MIN_STALE_STEPS = 3
"""One or two stale steps happen where a loop starts anew; three in a row of steps are how the loop is written."""
MIN_STALE_SHARE = 0.5
"""Share of the steps that were decided. Gradient accumulation clears once a step and has none; a loop that never clears has all but
the first, one that clears once an epoch nearly all."""
CLEARING_WORDS = ("zero_grad", ".grad", "set_to_none", "autograd")
"""A text with one of these may clear gradients in some way."""
EXPLAINS = ("loss-diverges", "exploding-gradients", "loss-plateau", "lr-too-high")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for optimizer in process.facts("optimizer"):
            if (finding := _of(optimizer)) is not None:
                yield finding


def _of(optimizer: Fact) -> Finding | None:
    stale, checked = int(optimizer.get("stale_steps") or 0), int(optimizer.get("stale_checked") or 0)
    if stale < MIN_STALE_STEPS or stale < MIN_STALE_SHARE * checked or not optimizer.get("stale_nonzero"):
        return None
    clears = int(optimizer.get("zero_grads") or 0)
    step, backward = site_place(optimizer.get("step_site")), site_place(optimizer.get("backward_site"))
    values: dict[str, Value] = {
        "stale": stale,
        "checked": checked,
        "clears": clears,
        "optimizer": str(optimizer.get("cls") or "the optimizer"),
        # Both count the steps that were followed, not all.
        "per_step": round(int(optimizer.get("backwards") or 0) / max(1, checked)),
    }
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="never" if not clears else "seldom",
        values=values,
        place=backward or step or place_of(optimizer),
        related=related(step, site_place(optimizer.get("zero_site")), place_of(optimizer)),
        why="accumulates",
        fix="clear",
        explains=EXPLAINS,
        certain_now=not clears and stale >= 10,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Insert ``zero_grad()`` before backward, or after the step where one step takes several backwards."""
    if finding.place is None:
        return None
    file = project.file(finding.place.file)
    if file is None:
        return None
    places = [place for place in (finding.place, *finding.related) if place.file == file.path]
    step = next((place for place in places if stepping_object(file, place.line)), None)
    if step is None:
        return None
    optimizer = stepping_object(file, step.line)
    backward, stepping = query.statement_at(file, finding.place.line), query.statement_at(file, step.line)
    if optimizer is None or backward is None or stepping is None:
        return None
    text = f"{file.segment(optimizer)}.zero_grad()"
    same_block = file.parents.get(backward) is file.parents.get(stepping)
    several = int(str(finding.values.get("per_step") or 1)) > 1
    if same_block and not several and backward is not stepping:
        change, where = edits.insert_before(backward, text), f"before line {backward.lineno}"
    else:
        change, where = edits.insert_after(stepping, text), f"after line {stepping.lineno}"
    return edits.make(file, [change], safe=finding.message == "never" and same_block, summary=f"{text}  ({where})")


def examine_source(project: Project) -> Iterable[Finding]:
    """A loop that runs backward and step on a torch optimizer, in a project that never mentions clearing in any form."""
    for file in project.files:
        if any(word in one.text for one in project.connected(file) for word in CLEARING_WORDS):
            continue
        for loop in file.nodes:
            if not isinstance(loop, query.Loop):
                continue
            backward = next((s for s in loop.body if call_of(s, "backward")), None)
            step = next((s for s in loop.body if _steps_torch_optimizer(file, s)), None)
            if backward is not None and step is not None and backward.lineno < step.lineno:
                yield Finding(
                    rule=RULE.id,
                    severity=Severity.ERROR,
                    message="source",
                    values={"step_line": step.lineno, "per_step": 1},
                    place=Place(file.path, backward.lineno),
                    related=(Place(file.path, step.lineno),),
                    why="accumulates",
                    fix="clear",
                    explains=EXPLAINS,
                    confidence=0.9,
                    ground="source",
                )


def _steps_torch_optimizer(file: SourceFile, statement: ast.stmt) -> bool:
    call = call_of(statement, "step")
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    name = call.func.value.id
    values = [value for scope in (query.scope_of(file, statement), file.tree) for value in query.assigned_values(scope, name)]
    made = [query.qualified(file, value.func) or "" for value in values if isinstance(value, ast.Call)]
    return any(one.startswith("torch.optim.") for one in made) and not any(".lr_scheduler." in one for one in made)


RULE = Rule(
    id="missing-zero-grad",
    title="Gradients are never cleared",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
