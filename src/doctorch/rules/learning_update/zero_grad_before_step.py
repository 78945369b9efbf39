"""zero-grad-before-step: gradients are cleared between backward and step, so the step has nothing to follow."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from doctorch.analysis import tensors
from doctorch.findings import Edit, Finding, Place, Severity, Value
from doctorch.records.reader import Fact, Process, Run
from doctorch.rules.api import Rule
from doctorch.rules.shared import call_of, place_of, related, site_place
from doctorch.source import edits, query
from doctorch.source.files import SourceFile
from doctorch.source.project import Project, project_of

MIN_STEPS = 3
"""Steps that must show it."""
MIN_SHARE = 0.9
"""Of the steps that were decided: this is how a loop is written, so it happens at every step."""
EXPLAINS = ("loss-plateau", "missing-step", "lr-too-low")


def examine(run: Run) -> Iterator[Finding]:
    for process in run.training[:1]:
        for optimizer in process.facts("optimizer"):
            finding = _by_call(optimizer) or _by_hand(project_of(run), process, optimizer)
            if finding is not None:
                yield finding


def _by_call(optimizer: Fact) -> Finding | None:
    """The clearing call was seen."""
    cleared, checked, empty = (int(optimizer.get(name) or 0) for name in ("cleared_steps", "cleared_checked", "empty_steps"))
    # In a GAN the discriminator's gradients from the generator's backward are cleared too, on purpose; its steps are not empty then.
    if cleared < MIN_STEPS or cleared < MIN_SHARE * checked or empty < MIN_SHARE * checked:
        return None
    return _finding(optimizer, "cleared", site_place(optimizer.get("cleared_site")), certain_now=cleared >= 10)


def _by_hand(project: Project, process: Process, optimizer: Fact) -> Finding | None:
    """backward wrote gradients, every step found none, and the text between the two takes them away: ``p.grad = None``."""
    checked, empty = int(optimizer.get("cleared_checked") or 0), int(optimizer.get("empty_steps") or 0)
    wrote = int(optimizer.get("backwards") or 0) >= MIN_STEPS and any(
        param.get("got_grad") for param in tensors.parameters(process) if str(param.get("optimizer")) == optimizer.key
    )
    if optimizer.get("cleared_steps") or not wrote or empty < MIN_STEPS or empty < MIN_SHARE * checked:
        return None
    backward, step = site_place(optimizer.get("backward_site")), site_place(optimizer.get("step_site"))
    file = project.file(backward.file) if backward is not None else None
    if file is None or backward is None or step is None or step.file != backward.file:
        return None
    lines = [
        node.lineno
        for node in file.nodes
        if _clears_by_hand(node) and isinstance(node, ast.stmt) and backward.line < node.lineno < step.line
    ]
    return _finding(optimizer, "by-hand", Place(file.path, lines[-1])) if lines else None


def _clears_by_hand(node: ast.AST) -> bool:
    """``p.grad = None`` or ``p.grad.zero_()``."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Attribute) and target.attr == "grad" for target in node.targets)
    call = call_of(node, "zero_")
    return (
        call is not None
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Attribute)
        and call.func.value.attr == "grad"
    )


def _finding(optimizer: Fact, message: str, clear: Place | None, certain_now: bool = False) -> Finding:
    step = site_place(optimizer.get("step_site"))
    values: dict[str, Value] = {name: int(optimizer.get(f"{name}_steps") or 0) for name in ("cleared", "empty")}
    return Finding(
        rule=RULE.id,
        severity=Severity.ERROR,
        message=message,
        values=values | {"checked": int(optimizer.get("cleared_checked") or 0)},
        place=clear or step or place_of(optimizer),
        related=related(site_place(optimizer.get("backward_site")), step),
        why="nothing-left",
        fix="move",
        explains=EXPLAINS,
        certain_now=certain_now,
    )


def edit(finding: Finding, project: Project) -> Edit | None:
    """Move the clearing line before backward, where both stand in one block."""
    file = project.file(finding.place.file) if finding.place else None
    if file is None or finding.place is None:
        return None
    clear = query.statement_at(file, finding.place.line)
    if clear is None or not call_of(clear, "zero_grad"):
        return None
    block = query.block_of(file, clear)
    before = [s for s in block[: block.index(clear)] if _runs_backward(s)]
    if not before:
        return None
    target = before[-1]
    summary = f"{file.segment(clear)}  (moved before line {target.lineno})"
    return edits.make(file, [edits.move_before(clear, target)], safe=True, summary=summary)


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
