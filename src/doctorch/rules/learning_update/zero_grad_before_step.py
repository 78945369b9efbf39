"""zero-grad-before-step: gradients are cleared between backward and step, so the step has nothing to follow."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import call_of, place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project

MIN_STEPS = 3
"""Steps that must show it."""
MIN_SHARE = 0.9
"""Of the steps that were decided: this is how a loop is written, so it happens at every step."""
EXPLAINS = ("loss-plateau", "missing-step", "lr-too-low")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for optimizer in process.facts("optimizer"):
            if (finding := _of(optimizer)) is not None:
                yield finding


def _of(optimizer: Fact) -> Finding | None:
    cleared, checked = int(optimizer.get("cleared_steps") or 0), int(optimizer.get("cleared_checked") or 0)
    empty = int(optimizer.get("empty_steps") or 0)
    steps = empty + int(optimizer.get("grad_steps") or 0)  # those that were followed call by call
    # In a GAN the discriminator's gradients from the generator's backward are cleared too, on purpose; its steps are not empty then.
    if cleared < MIN_STEPS or cleared < MIN_SHARE * checked or empty < MIN_SHARE * steps:
        return None
    clear, step = site_place(optimizer.get("cleared_site")), site_place(optimizer.get("step_site"))
    backward = site_place(optimizer.get("backward_site"))
    values: dict[str, Value] = {"cleared": cleared, "checked": checked, "empty": empty, "steps": steps}
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message="cleared",
        values=values,
        place=clear or step or place_of(optimizer),
        related=related(backward, step),
        why="nothing-left",
        fix="move",
        explains=EXPLAINS,
        certain_now=cleared >= 10,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Move the clearing line before backward, where both stand in one block."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    clear = query.statement_at(file, finding.place.line)
    if clear is None or not call_of(clear, "zero_grad"):
        return None
    block = _block(file, clear)
    before = [s for s in block[: block.index(clear)] if _runs_backward(s)]
    if not before or clear.end_lineno is None:
        return None
    target = before[-1]
    summary = f"{file.segment(clear)}  (moved before line {target.lineno})"
    moved = edits.insert_line(file, target.lineno, file.segment(clear))
    return edits.make(file, [moved, edits.delete_lines(clear.lineno, clear.end_lineno)], safe=True, summary=summary)


def _block(file: SourceFile, statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements in which one stands."""
    parent = file.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, [])
        if isinstance(block, list) and statement in block:
            return list(block)
    return [statement]


def _runs_backward(statement: ast.stmt) -> bool:
    call = call_of(statement, "backward")
    return call is not None


def examine_source(project: Project) -> Iterable[Finding]:
    """backward, then zero_grad, then step of the same optimizer, as neighbours in one block of a loop."""
    for file in project.files:
        for loop in file.nodes:
            if isinstance(loop, query.Loop):
                yield from _in_block(file, loop.body)


def _in_block(file: SourceFile, block: Sequence[ast.stmt]) -> Iterator[Finding]:
    for index, statement in enumerate(block):
        clear = call_of(statement, "zero_grad")
        if clear is None or not isinstance(clear.func, ast.Attribute):
            continue
        name = query.dotted(clear.func.value)
        backward = next((s for s in reversed(block[:index]) if _runs_backward(s)), None)
        after = block[index + 1 :]
        step = next((s for s in after if _is_step(s, name)), None)
        if name is None or backward is None or step is None:
            continue
        between = [*block[block.index(backward) + 1 : index], *after[: after.index(step)]]
        # A step before the clearing, or another backward after it, is another and correct order.
        if any(_mentions(s, ("step", "backward")) for s in between):
            continue
        yield Finding(
            rule=RULE.id,
            severity=Severity.ERROR,
            message="source",
            values={"backward_line": backward.lineno, "step_line": step.lineno},
            place=Place(file.path, statement.lineno),
            related=(Place(file.path, backward.lineno), Place(file.path, step.lineno)),
            why="nothing-left",
            fix="move",
            explains=EXPLAINS,
            confidence=0.95,
            ground="source",
        )


def _is_step(statement: ast.stmt, name: str | None) -> bool:
    call = call_of(statement, "step")
    return call is not None and isinstance(call.func, ast.Attribute) and query.dotted(call.func.value) == name


def _mentions(statement: ast.stmt, methods: tuple[str, ...]) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in methods for node in ast.walk(statement))


RULE = Rule(
    id="zero-grad-before-step",
    title="Gradients are cleared between backward and step",
    severity=Severity.ERROR,
    needs=frozenset({"optimizer"}),
    examine=examine,
    examine_source=examine_source,
    edit=edit,
)
